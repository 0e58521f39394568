package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.SLIDING key limit period [quantity] [MS] [PEEK] counts actions in a window of period seconds
// that slides. Windows begin at multiples of period since the Unix epoch. All actions of the
// current window count. A part of the actions of the previous window counts, rounded down: the part
// of that window that is less than a period ago. If clients spread their actions evenly, at most
// limit actions pass in any period.
//
// The state is the integer previous·10⁹ + current. It expires two periods after the begin of the
// current window, so the expiry identifies the window. Actions that were counted with another
// period count in full until the key expires. The next action that is counted takes them into its own
// window, as if all had come with it.
//
// Source: https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
var _ = commands.Register(&commands.Command{
	Name: "cl.sliding", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadSliding, replyAnswer) },
})
