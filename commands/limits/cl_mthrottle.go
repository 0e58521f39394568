package limits

import (
	"bytes"

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
	Name: "cl.mthrottle", Arity: -6, Flags: commands.Write | commands.DenyOOM, Keys: commands.Keys{NumKeys: 1, Step: 4, Access: "RW ACCESS UPDATE"}, Group: commands.GroupLimiter,
	Summary: "Decides by several limits whether an action may happen now, and counts the action in " +
		"all of them or in none (GCRA).",
	Usage:      "n key max_burst count period [key max_burst count period ...] [QUANTITY quantity] [MS] [PEEK]",
	Complexity: "O(N) where N is the number of limits", Run: clMthrottle,
})

const (
	errLimits commands.Error = "ERR n should be from 1 to 128, with a key, " +
		"max_burst, count and period for each"
	errSameKey    commands.Error = "ERR each limit needs a key of its own"
	mostLimits                   = 128
	wordsPerLimit                = 4
)

func clMthrottle(c *commands.Call) error {
	all, args, err := mthrottleArgs(c)
	if err != nil {
		return args.Explain(err)
	}
	for i := range all {
		c.Tx.FindIn(&all[i].Entry, c.Args[2+wordsPerLimit*i], all[i].Limiter.KeepsTAT())
	}
	refusing, err := limiters.DecideAll(all, c.Now, args.Quantity)
	if err != nil {
		return args.Explain(err)
	}
	if !args.Has(limiters.OptPeek) {
		limiters.ApplyAll(all, c.Now)
	}
	looks := args.Has(limiters.OptPeek) || args.Quantity == 0
	if refusing >= 0 || looks {
		c.Server.Stats.Commands.Decided(c.Cmd, refusing >= 0, looks)
	}
	c.Out.Array(2 + len(all))
	c.Out.Int(int64(commands.Bit(refusing >= 0)))
	c.Out.Int(int64(refusing))
	for i := range all {
		if all[i].Answer.Limited && !looks {
			c.Server.Stats.Limited.Add(c.Tx.DB(), all[i].Entry.Key())
		}
		replyAnswer(c, &all[i].Answer, args.Has(limiters.OptMS))
	}
	return nil
}

// mthrottleArgs parses the limits and the options. The entries of the limits are not found yet.
func mthrottleArgs(c *commands.Call) (all []limiters.Asked, args limiters.Args, err error) {
	n, ok := commands.ParseInt(c.Args[1])
	if !ok || n < 1 || n > mostLimits || len(c.Args)-2 < int(n)*wordsPerLimit {
		return nil, args, errLimits
	}
	args.Begin(c.Cmd.Name, c.Args[2:])
	all = make([]limiters.Asked, n)
	rates := make([]limiters.Rate, n)
	for i := range all {
		key := args.Next("key")
		maxBurst, count, period := args.Integer("max_burst"), args.Integer("count"), args.Seconds("period")
		if args.Err != nil {
			return nil, args, args.Err
		}
		all[i].Limiter = &rates[i]
		if rates[i].Quota, err = gcra.NewQuotaIn(maxBurst, count, period); err != nil {
			return nil, args, err
		}
		for j := range i {
			if bytes.Equal(c.Args[2+wordsPerLimit*j], key) {
				return nil, args, errSameKey
			}
		}
	}
	return all, args, args.Options(limiters.OptQuantity)
}
