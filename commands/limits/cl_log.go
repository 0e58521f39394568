package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.LOG key limit period [quantity] [GAP seconds] [STRICT] [RESOLUTION seconds] [MS] [PEEK]
// keeps a log of actions, of which limit may happen in any period seconds: exactly, wherever
// that period begins. GAP is the least time between two; with STRICT what is limited is
// logged, too; with RESOLUTION the log has one entry, with a count, for each so many seconds.
//
// A log that is asked with several periods forgets by that of each action which is logged.
//
// The state is a sorted set. A member is the time of the action in Unix nanoseconds, its score
// the same in microseconds. Actions of one nanosecond have a number after it
// ("1700000000123456789-000000001"), an entry of several actions their count
// ("1700000000123456789x3"). Members of any other form count as one action at their score.
//
// Source: https://engineering.classdojo.com/blog/2015/02/06/rolling-rate-limiter/
var _ = commands.Register(&commands.Command{
	Name: "cl.log", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary:    "Decides whether an action may happen now, by an exact log of those before, and logs it if so.",
	Usage:      "key limit period [quantity] [GAP seconds] [STRICT] [RESOLUTION seconds] [MS] [PEEK]",
	Complexity: "O(log(N)+Q) where N is the length of the log and Q the quantity; with RESOLUTION O(N)",
	Run:        func(c *commands.Call) error { return ask(c, limiters.ReadLog) },
})
