package commands

import (
	"cellserver/gcra"
)

// THROTTLE key max_burst count period [quantity] [MS] [PEEK] is CL.THROTTLE in the words of
// throttlecrab: max_burst is how many may happen at once, and the reply is allowed (1 or 0),
// limit, remaining, reset_after and retry_after, which is 0 when the action was allowed.
//
// Source: https://github.com/lazureykis/throttlecrab
var _ = register(&Command{
	Name: "throttle", Arity: -5, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Decides whether an action may happen now, and counts it if so: CL.THROTTLE as throttlecrab has it.",
	Usage:   "key max_burst count period [quantity] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return askFor(c, crabLimit, (*Call).replyCrab) },
})

const errCrabBurst Error = "ERR max_burst must be positive"

func crabLimit(a *limiterArgs) (r cellRate, err error) {
	maxBurst, count, period := a.integer("max_burst"), a.integer("count"), a.seconds("period")
	switch err = a.finish(0); {
	case err != nil:
		return r, err
	case maxBurst <= 0:
		return r, errCrabBurst
	}
	r.Quota, err = gcra.NewQuotaIn(maxBurst-1, count, period)
	return r, err
}

func (c *Call) replyCrab(a *answer, millis bool) {
	retry := a.retryAfter
	if !a.limited {
		retry = 0
	}
	c.Out.Ints(int64(bit(!a.limited)), a.limit, a.remaining, wholeUnits(a.resetAfter, millis), wholeUnits(retry, millis))
}
