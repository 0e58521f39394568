package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.SLIDING key limit period [quantity] [MS] [PEEK] counts actions in a window of period
// seconds that slides: those of the current one, which begins at a multiple of period since
// the Unix epoch, and of the one before it the part that is less than a period ago, rounded
// down. So what passes in any period is limit, if the actions before were spread evenly.
//
// The state is the integer previous·10⁹ + current, which expires two periods after the
// current window began: so its expiry tells which window that is. What was counted with another
// period counts in full until it expires.
//
// Source: https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
var _ = commands.Register(&commands.Command{
	Name: "cl.sliding", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Decides whether an action may happen now, by a sliding window, and counts it if so.",
	Usage:   "key limit period [quantity] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadSliding) },
})
