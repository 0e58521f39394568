package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
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
var _ = commands.Register(&commands.Command{
	Name: "cl.pace", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Says for how long to hold an action, so that actions begin evenly.",
	Usage:   "key max_burst count period [quantity] [MAXWAIT seconds] [WARMUP seconds] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *commands.Call) error { return askWithReply(c, limiters.ReadPace, replyPace) },
})

// replyPace replies with the five integers of every limiter, and the milliseconds for which the
// caller must hold the action.
func replyPace(c *commands.Call, a *limiters.Answer, millis bool) {
	c.Out.Ints(int64(commands.Bit(a.Limited)), a.Limit, a.Remaining, wholeUnits(a.RetryAfter, millis), wholeUnits(a.ResetAfter, millis),
		wholeUnits(a.Hold, true))
}
