package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// GCRA key max_burst tokens_per_period period [TOKENS n] [MS] [PEEK] is the throttle command of
// Redis 8.8 before its release. It differs from CL.THROTTLE in two points: period may be decimal,
// and TOKENS names the quantity. The reply is the reply of CL.THROTTLE.
//
// Source: https://github.com/redis/redis/pull/14826
var _ = commands.Register(&commands.Command{
	Name: "gcra", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadGCRA, replyAnswer) },
})
