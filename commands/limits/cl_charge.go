package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.CHARGE key max_burst count period quantity [MS] [PEEK] consumes a quantity of the limit that
// CL.THROTTLE has for the key. It consumes the quantity even if less is left. So it suits actions
// whose cost is known only afterwards.
//
// If the quantity exceeds what is left, limited is 1 and remaining is negative: the debt. retry_after is
// then the time until the debt is paid.
var _ = commands.Register(&commands.Command{
	Name: "cl.charge", Arity: -6, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadCharge, replyAnswer) },
})
