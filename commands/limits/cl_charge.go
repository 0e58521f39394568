package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.CHARGE key max_burst count period quantity [MS] [PEEK] takes a quantity from what
// CL.THROTTLE has of the key, whatever is left: for what costs how much is known only when it
// is done. If more is taken than there was, limited is 1, remaining is below 0 by what is
// owed, and retry_after is the time until nothing is.
var _ = commands.Register(&commands.Command{
	Name: "cl.charge", Arity: -6, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Takes a quantity, even if it is more than there is: for costs known only afterwards (GCRA).",
	Usage:   "key max_burst count period quantity [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadCharge) },
})
