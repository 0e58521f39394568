package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.THROTTLE key max_burst count period [quantity [MS] [PEEK]] decides whether quantity (1)
// actions on a key may happen now. It allows count actions per period seconds, and bursts of
// max_burst+1. CL.PROBE has the same arguments and the same decision, and changes nothing.
//
// The reply has five integers: limited (0 or 1), limit, remaining, retry_after and reset_after. The
// last two are seconds, rounded up. retry_after is -1 if the action is allowed, or if it can never
// be allowed.
//
// Source: https://github.com/brandur/redis-cell
var (
	_ = commands.Register(&commands.Command{
		Name: "cl.throttle", Arity: -1, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
		Run: func(c *commands.Call) error { return ask(c, limiters.ReadThrottle, replyAnswer) },
	})
	_ = commands.Register(&commands.Command{
		Name: "cl.probe", Arity: -1, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupLimiter,
		Run:   func(c *commands.Call) error { return ask(c, limiters.ReadThrottle, replyAnswer) },
	})
)
