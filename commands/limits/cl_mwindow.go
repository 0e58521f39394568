package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.MWINDOW n key limit period quantity [ALIGN [DAY | WEEK | MONTH] [DAY day] [TZ zone]] [key …] [CHARGE]
// [MS] [PEEK] asks n fixed windows. Each one is like CL.WINDOW with its own key and quantity. Either all
// windows count their quantities, or no window counts anything. With CHARGE all count them, even if less is
// left. A quantity below 0 gives back, if the others pass.
//
// A word that is an option of a window is never a key. So a call with such a key is an error.
//
// The reply has limited (0 or 1) and the index of the first window that refuses, from 0, or -1. Then the five
// integers of CL.WINDOW follow for each window.
var _ = commands.Register(&commands.Command{
	Name: "cl.mwindow", Arity: -6, Flags: commands.Write | commands.DenyOOM, Group: commands.GroupLimiter,
	Keys: commands.Keys{NumKeys: 1, Words: limiters.WindowWords, Access: "RW ACCESS UPDATE"},
	Summary: "Decides by several fixed windows whether an action may happen now, each with its own " +
		"quantity, and counts in all of them or in none.",
	Usage: "n key limit period quantity [ALIGN [DAY | WEEK | MONTH] [DAY day] [TZ zone]] " +
		"[key limit period quantity [ALIGN [DAY | WEEK | MONTH] [DAY day] [TZ zone]] ...] " +
		"[CHARGE] [MS] [PEEK]",
	Complexity: "O(N) where N is the number of windows", Run: clMwindow,
})

const errWindows commands.Error = "ERR n should be from 1 to 128, with a key, " +
	"limit, period and quantity for each"

func clMwindow(c *commands.Call) error {
	n := c.Cmd.Keys.Counted(c.Args)
	if n < 1 || n > mostLimits {
		return errWindows
	}
	all, windows, words := make([]limiters.Asked, n), make([]limiters.Window, n), make([][][]byte, n)
	var args limiters.Args
	rest, looks := c.Args[2:], true
	for i := range all {
		size := limiters.WindowWords(rest)
		if size > len(rest) {
			return errWindows
		}
		words[i], rest = rest[1:size], rest[size:]
		args.Begin(c.Cmd.Name, words[i])
		w, err := limiters.ReadWindowOf(&args)
		if err != nil {
			return args.Explain(err)
		}
		windows[i], all[i].Limiter, all[i].Quantity = w, &windows[i], args.Quantity
		looks = looks && args.Quantity == 0
	}
	args.Begin(c.Cmd.Name, rest)
	if err := args.Options(limiters.OptCharge); err != nil {
		return args.Explain(err)
	}
	failed, err := askAll(c, all, &args, looks)
	if err != nil { // the error repeats the word of its window
		args.Begin(c.Cmd.Name, words[failed])
		_, _ = limiters.ReadWindowOf(&args)
	}
	return args.Explain(err)
}
