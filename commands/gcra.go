package commands

import "cellserver/gcra"

// GCRA key max_burst tokens_per_period period [TOKENS n] [MS] [PEEK] is CL.THROTTLE as Redis
// had it in 8.8 before its release: period may be decimal, and the quantity has a name. The
// reply is that of CL.THROTTLE.
//
// Source: https://github.com/redis/redis/pull/14826
var _ = register(&Command{
	Name: "gcra", Arity: -5, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Decides whether an action may happen now, and counts it if so: CL.THROTTLE as Redis would have it.",
	Usage:   "key max_burst tokens_per_period period [TOKENS n] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return ask(c, gcraLimit) },
})

func gcraLimit(a *limiterArgs) (r cellRate, err error) {
	maxBurst, count, period := a.integer("max_burst"), a.integer("tokens_per_period"), a.seconds("period")
	if err = a.options(optTokens); err == nil {
		r.Quota, err = gcra.NewQuotaIn(maxBurst, count, period)
	}
	return r, err
}
