package commands

import (
	"bytes"

	"cellserver/internal/decimal"
	"cellserver/limiters/pace"
	"cellserver/store"
)

// CL.PACE key max_burst count period [quantity] [MAXWAIT seconds] [WARMUP seconds] [MS] [PEEK]
// delays instead of refusing, so that count actions begin per period seconds, evenly, and up
// to max_burst+1 at once after a pause. After the five integers of all limiters comes a sixth:
// for how many milliseconds the caller is to hold the action. With MAXWAIT one that would be
// held for longer is limited. With WARMUP a pause is followed by a slow start instead of a
// burst: max_burst is of no account then.
//
// The state is a string of two integers: when the next action is free to begin, in Unix
// nanoseconds, and the unused time before that, in nanoseconds. An absent key is one that was
// not used for long.
//
// Source: https://guava.dev/releases/33.4.8-jre/api/docs/com/google/common/util/concurrent/RateLimiter.html
var _ = register(&Command{
	Name: "cl.pace", Arity: -5, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Says for how long to hold an action, so that actions begin evenly.",
	Usage:   "key max_burst count period [quantity] [MAXWAIT seconds] [WARMUP seconds] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return askFor(c, paceLimit, (*Call).replyPace) },
})

type pacer struct {
	ordinary
	pace.Pacer
}

const (
	errNoWarmup Error = "ERR warmup must be positive"
	errNoPace   Error = "ERR the key holds no pace: it is not two integers"
)

func paceLimit(a *limiterArgs) (p pacer, err error) {
	maxBurst, count, period := a.integer("max_burst"), a.integer("count"), a.seconds("period")
	if err = a.finish(optMaxWait | optWarmup); err != nil {
		return p, err
	}
	maxWait, warmup := int64(pace.Forever), a.value(optWarmup)
	if a.has(optMaxWait) {
		maxWait = a.value(optMaxWait)
	}
	if a.has(optWarmup) && warmup == 0 {
		return p, errNoWarmup
	}
	p.Pacer, err = pace.New(maxBurst, count, period, maxWait, warmup)
	return p, err
}

func (p pacer) decide(e *store.Entry, a *answer, now, quantity int64) error {
	if err := stringEntry(e); err != nil {
		return err
	}
	var state pace.State
	if e.Exists() {
		var ok bool
		if state.Free, state.Stored, ok = pairOf(e.Bytes(nil)); !ok {
			return errNoPace
		}
	}
	d, state, err := p.Decide(state, now, quantity)
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.hold, a.state[0], a.state[1] = d.Hold, state.Free, state.Stored
	return err
}

func (p pacer) apply(e *store.Entry, a *answer, now int64) {
	state := decimal.Append(make([]byte, 0, 40), a.state[0])
	state = decimal.Append(append(state, ' '), a.state[1])
	e.SetBytes(state, expiryAfter(now, a.resetAfter))
}

// pairOf reads two integers with a space between them.
func pairOf(b []byte) (x, y int64, ok bool) {
	first, second, _ := bytes.Cut(b, []byte{' '})
	x, okX := parseInt(first)
	y, okY := parseInt(second)
	return x, y, okX && okY
}

func (c *Call) replyPace(a *answer, millis bool) {
	c.Out.Ints(int64(bit(a.limited)), a.limit, a.remaining, wholeUnits(a.retryAfter, millis), wholeUnits(a.resetAfter, millis),
		wholeUnits(a.hold, true))
}
