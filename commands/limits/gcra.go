package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// GCRA key max_burst tokens_per_period period [TOKENS n] [MS] [PEEK] is CL.THROTTLE as Redis
// had it in 8.8 before its release: period may be decimal, and the quantity has a name. The
// reply is that of CL.THROTTLE.
//
// Source: https://github.com/redis/redis/pull/14826
var _ = commands.Register(&commands.Command{
	Name: "gcra", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Decides whether an action may happen now, and counts it if so: CL.THROTTLE as Redis would have it.",
	Usage:   "key max_burst tokens_per_period period [TOKENS n] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadGCRA) },
})
