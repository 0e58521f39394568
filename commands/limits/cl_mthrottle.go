package limits

import (
	"cellserver/commands"
	"cellserver/gcra"
	"cellserver/limiters"
)

// CL.MTHROTTLE n key max_burst count period [key max_burst count period …] [QUANTITY q] [MS] [PEEK]
// asks n limits. Each limit is like CL.THROTTLE with its own key. Either all limits consume the
// quantity (1), or no limit does.
//
// The reply has limited (0 or 1) and the index of the first limit that refuses, from 0, or -1. Then
// the five integers of CL.THROTTLE follow for each limit.
var _ = commands.Register(&commands.Command{
	Name: "cl.mthrottle", Arity: -6, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.Keys{NumKeys: 1, Step: 4, Access: "RW ACCESS UPDATE"}, Group: commands.GroupLimiter,
	Run: clMthrottle,
})

const (
	errLimits commands.Error = "ERR n should be from 1 to 128, with a key, " +
		"max_burst, count and period for each"
	wordsPerLimit = 4
)

func clMthrottle(c *commands.Call) error {
	all, args, err := mthrottleArgs(c)
	if err == nil {
		_, err = askAll(c, all, &args, args.Quantity == 0)
	}
	return args.Explain(err)
}

// mthrottleArgs parses the limits and the options. The entries of the limits are not found yet.
func mthrottleArgs(c *commands.Call) (all []limiters.Asked, args limiters.Args, err error) {
	n := c.Cmd.Keys.Counted(c.Args)
	if n < 1 || n > mostLimits || len(c.Args)-2 < n*wordsPerLimit {
		return nil, args, errLimits
	}
	args.Begin(c.Cmd.Name, c.Args[2:])
	all = make([]limiters.Asked, n)
	rates := make([]limiters.Rate, n)
	for i := range all {
		args.Next("key")
		maxBurst, count, period := args.Integer("max_burst"), args.Integer("count"), args.Seconds("period")
		if args.Err != nil {
			return nil, args, args.Err
		}
		all[i].Limiter = &rates[i]
		if rates[i].Quota, err = gcra.NewQuotaIn(maxBurst, count, period); err != nil {
			return nil, args, err
		}
	}
	err = args.Options(limiters.OptQuantity)
	for i := range all {
		all[i].Quantity = args.Quantity
	}
	return all, args, err
}
