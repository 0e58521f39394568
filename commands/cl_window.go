package commands

import (
	"math"

	"cellserver/store"
	"cellserver/limiters/window"
)

// CL.WINDOW key limit period [quantity] [ALIGN] [MS] [PEEK] counts actions in windows of
// period seconds, which begin with the first action that passes after the last one, or with
// ALIGN at the multiples of period since the Unix epoch: the minutes, hours and days of UTC.
//
// The state is a counter which expires at the window's end.
var _ = register(&Command{
	Name: "cl.window", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Decides whether an action may happen now, by a fixed window, and counts it if so.",
	Usage:   "key limit period [quantity] [ALIGN] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return ask(c, windowLimit) },
})

type fixedWindow struct {
	ordinary
	window.Fixed
}

func windowLimit(a *limiterArgs) (w fixedWindow, err error) {
	limit, period := a.integer("limit"), a.seconds("period")
	if err = a.finish(optAlign); err == nil {
		w.Fixed, err = window.NewFixed(limit, period, a.has(optAlign))
	}
	return w, err
}

const errNoWindow Error = "ERR the key holds no window: it does not expire"

func (w fixedWindow) decide(e *store.Entry, a *answer, now, quantity int64) error {
	used, end, err := counter(e)
	if err != nil {
		return err
	}
	d, count, err := w.Decide(window.Count{Used: used, End: end}, now, quantity)
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = count.Used, count.End
	return err
}

func (w fixedWindow) apply(e *store.Entry, a *answer, _ int64) {
	e.SetInt(a.state[0], a.state[1]/1e6)
}

// counter is an integer and the end of its time, in Unix nanoseconds; zeros of an absent key.
func counter(e *store.Entry) (n, end int64, err error) {
	n, err = integer(e)
	if err != nil || !e.Exists() {
		return 0, 0, err
	}
	at := e.ExpireAt()
	if at == store.NoExpiry {
		return 0, 0, errNoWindow
	}
	return n, nanos(at), nil
}

// nanos are Unix nanoseconds of milliseconds, or the last whole millisecond that they can tell.
func nanos(millis int64) int64 { return min(millis, math.MaxInt64/1_000_000) * 1e6 }
