package commands

import (
	"cellserver/store"
	"cellserver/limiters/window"
)

// CL.SLIDING key limit period [quantity] [MS] [PEEK] counts actions in a window of period
// seconds that slides: those of the current one, which begins at a multiple of period since
// the Unix epoch, and of the one before it the part that is less than a period ago, rounded
// down. So what passes in any period is limit, if the actions before were spread evenly.
//
// The state is the integer previous·10⁹ + current, which expires two periods after the
// current window began: so its expiry tells which window that is. What was counted with another
// period counts in full until it expires.
//
// Source: https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
var _ = register(&Command{
	Name: "cl.sliding", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Decides whether an action may happen now, by a sliding window, and counts it if so.",
	Usage:   "key limit period [quantity] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return ask(c, slidingLimit) },
})

type slidingWindow struct {
	ordinary
	window.Sliding
}

func slidingLimit(a *limiterArgs) (w slidingWindow, err error) {
	limit, period := a.integer("limit"), a.seconds("period")
	if err = a.finish(0); err == nil {
		w.Sliding, err = window.NewSliding(limit, period)
	}
	return w, err
}

// slidingBase is what one action in the previous window adds to the integer.
const slidingBase = window.MaxSliding + 1

const errNoSliding Error = "ERR the key holds no sliding window: its integer is negative"

func (w slidingWindow) decide(e *store.Entry, a *answer, now, quantity int64) error {
	n, end, err := counter(e)
	switch {
	case err != nil:
		return err
	case n < 0:
		return errNoSliding
	}
	counts := window.Counts{Current: n % slidingBase, Previous: n / slidingBase, End: end}
	d, counts, err := w.Decide(counts, now, quantity)
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = counts.Previous*slidingBase+counts.Current, counts.End
	return err
}

func (w slidingWindow) apply(e *store.Entry, a *answer, _ int64) {
	e.SetInt(a.state[0], a.state[1]/1e6)
}
