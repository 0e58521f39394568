package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// THROTTLE key max_burst count period [quantity] [MS] [PEEK] is CL.THROTTLE in the syntax of
// throttlecrab. max_burst is the number of actions that may happen at once. The reply is allowed (1
// or 0), limit, remaining, reset_after and retry_after. retry_after is 0 if the action is allowed.
//
// Source: https://github.com/lazureykis/throttlecrab
var _ = commands.Register(&commands.Command{
	Name: "throttle", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadThrottlecrab, replyThrottlecrab) },
})

// replyThrottlecrab replies in throttlecrab's order: allowed, limit, remaining, reset_after, retry_after.
func replyThrottlecrab(c *commands.Call, a *limiters.Answer, millis bool) {
	retry := a.RetryAfter
	if !a.Limited {
		retry = 0
	}
	c.Out.Ints(int64(commands.Bit(!a.Limited)), a.Limit, a.Remaining, wholeUnits(a.ResetAfter, millis), wholeUnits(retry, millis))
}
