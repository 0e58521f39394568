package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.LOG key limit period [quantity] [GAP seconds] [STRICT] [RESOLUTION seconds] [MS] [PEEK] keeps
// an exact log of actions. In any period seconds, at most limit actions may happen.
//
// GAP is the shortest time between two actions. With STRICT the log also keeps limited requests.
// With RESOLUTION the log has one entry with a count for each interval of RESOLUTION seconds.
//
// A request that is logged drops actions that are older than its own period, a thousand at a time. This matters
// if the requests to one key have different periods.
//
// The state is a sorted set: see [limiters.Log].
//
// Source: https://engineering.classdojo.com/blog/2015/02/06/rolling-rate-limiter/
var _ = commands.Register(&commands.Command{
	Name: "cl.log", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadLog, replyAnswer) }, Cost: costOfLog,
})
