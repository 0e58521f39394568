package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.PACE key max_burst count period [quantity] [MAXWAIT seconds] [WARMUP seconds] [MS] [PEEK]
// delays actions instead of refusing them. So count actions begin per period seconds, at even
// distances. After a pause, max_burst+1 actions may begin at once.
//
// The reply has the five integers of all limiters and a sixth one: the number of milliseconds for
// which the caller must hold the action. MAXWAIT limits an action that the caller would hold for
// longer. With WARMUP the rate starts slowly after a pause, and max_burst has no effect.
//
// The state is a string of two integers. The first is the time at which the next action may begin,
// in Unix nanoseconds. The second is the unused time before it, in nanoseconds. An absent key means
// a long pause.
//
// Source:
// https://guava.dev/releases/33.4.8-jre/api/docs/com/google/common/util/concurrent/RateLimiter.html
var _ = commands.Register(&commands.Command{
	Name: "cl.pace", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadPace, replyPace) },
})

// replyPace replies with the five integers of every limiter, and with the milliseconds for which
// the caller must hold the action.
func replyPace(c *commands.Call, a *limiters.Answer, millis bool) {
	c.Out.Ints(int64(commands.Bit(a.Limited)), a.Limit, a.Remaining, wholeUnits(a.RetryAfter, millis), wholeUnits(a.ResetAfter, millis),
		wholeUnits(a.Hold, true))
}
