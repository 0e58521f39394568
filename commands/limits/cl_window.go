package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.WINDOW key limit period [quantity] [ALIGN] [MS] [PEEK] counts actions in windows of
// period seconds, which begin with the first action that passes after the last one, or with
// ALIGN at the multiples of period since the Unix epoch: the minutes, hours and days of UTC.
//
// The state is a counter which expires at the window's end.
var _ = commands.Register(&commands.Command{
	Name: "cl.window", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Decides whether an action may happen now, by a fixed window, and counts it if so.",
	Usage:   "key limit period [quantity] [ALIGN] [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadWindow) },
})
