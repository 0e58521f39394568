package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.MWINDOW n key limit period quantity [ALIGN [DAY | WEEK | MONTH] [DAY day] [TZ zone] | BY algorithm]
// [key …] [CHARGE] [MS] [PEEK] asks n limits, each with its own key and quantity. Either all limits count
// their quantities, or no limit counts anything. With CHARGE all count them, even if less is left. A quantity
// below 0 gives back, if the others pass.
//
// A limit is a fixed window, as CL.WINDOW has it. BY names another algorithm: SLIDING or LOG, as CL.SLIDING
// and CL.LOG have them, or GCRA. A GCRA lets the limit pass at once, and all of it comes back in a period.
//
// A word that is an option of a limit is never a key. So a call with such a key is an error.
//
// The reply has limited (0 or 1) and the index of the first limit that refuses, from 0, or -1. Then the five
// integers of CL.WINDOW follow for each limit.
var _ = commands.Register(&commands.Command{
	Name: "cl.mwindow", Arity: -6, Flags: commands.Write | commands.DenyOOM,
	Keys:  commands.Keys{NumKeys: 1, Words: limiters.WindowWords, Access: "RW ACCESS UPDATE"},
	Group: commands.GroupLimiter, Run: clMwindow,
})

const errWindows commands.Error = "ERR n should be from 1 to 128, with a key, " +
	"limit, period and quantity for each"

func clMwindow(c *commands.Call) error {
	n := c.Cmd.Keys.Counted(c.Args)
	if n < 1 || n > mostLimits {
		return errWindows
	}
	all, words := make([]limiters.Asked, n), make([][][]byte, n)
	var args limiters.Args
	rest, looks := c.Args[2:], true
	for i := range all {
		size := limiters.WindowWords(rest)
		if size > len(rest) {
			return errWindows
		}
		words[i], rest = rest[1:size], rest[size:]
		args.Begin(c.Cmd.Name, words[i])
		l, err := limiters.ReadOneOfSeveral(&args)
		if err != nil {
			return args.Explain(err)
		}
		all[i].Limiter, all[i].Quantity = l, args.Quantity
		looks = looks && args.Quantity == 0
	}
	args.Begin(c.Cmd.Name, rest)
	if err := args.Options(limiters.OptCharge); err != nil {
		return args.Explain(err)
	}
	failed, err := askAll(c, all, &args, looks)
	if err != nil { // the error repeats the word of its window
		args.Begin(c.Cmd.Name, words[failed])
		_, _ = limiters.ReadOneOfSeveral(&args)
	}
	return args.Explain(err)
}
