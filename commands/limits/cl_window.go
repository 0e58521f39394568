package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.WINDOW key limit period [quantity] [ALIGN [DAY | WEEK | MONTH] [DAY day] [TZ zone]] [CHARGE] [MS] [PEEK]
// counts actions in fixed windows of period seconds. A window begins with the first allowed action after the
// last window. With ALIGN, windows begin at multiples of period since the Unix epoch: at the minutes,
// hours and days of UTC. ALIGN day, week, month or year has the windows of the calendar of a time zone (UTC).
// A week begins on Monday, and a month on its first day. DAY names another weekday or day of the month.
// The period is then 0, or the length of the unit. A limit of 0 refuses every action.
//
// With CHARGE the quantity counts even if less is left. Limited is then 1 and remaining is negative if more
// than the limit counts. A quantity below 0 gives back what counts in the window of now, never below 0.
//
// The state is a counter. It expires at the end of the window.
var _ = commands.Register(&commands.Command{
	Name: "cl.window", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Run: func(c *commands.Call) error { return ask(c, limiters.ReadWindowRequest, replyAnswer) },
})
