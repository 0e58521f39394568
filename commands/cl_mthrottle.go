package commands

import (
	"bytes"

	"cellserver/gcra"
)

// CL.MTHROTTLE n key max_burst count period [key max_burst count period …] [QUANTITY q] [MS]
// [PEEK] asks n limits, each like CL.THROTTLE of its own key, and counts the quantity (1) in
// all of them, or in none if one of them refuses.
//
// The reply is limited (0 or 1), the index of the first limit that refuses, from 0, or -1,
// and for each limit the five integers of CL.THROTTLE.
var _ = register(&Command{
	Name: "cl.mthrottle", Arity: -6, Flags: Write | DenyOOM, Keys: Keys{NumKeys: 1, Step: 4, Access: "RW ACCESS UPDATE"}, Group: Limiter,
	Summary:    "Decides whether an action may happen now by several limits, and counts it in all or none (GCRA).",
	Usage:      "n key max_burst count period [key max_burst count period ...] [QUANTITY quantity] [MS] [PEEK]",
	Complexity: "O(N) where N is the number of limits", Run: clMthrottle,
})

const (
	errLimits     Error = "ERR n should be from 1 to 128, with a key, max_burst, count and period for each"
	errSameKey    Error = "ERR each limit needs a key of its own"
	mostLimits          = 128
	wordsPerLimit       = 4
)

func clMthrottle(c *Call) error {
	all, args, err := mthrottleArgs(c)
	if err != nil {
		return limiterError(err)
	}
	for i := range all {
		all[i].limiter.find(&all[i].entry, c.Tx, c.Args[2+wordsPerLimit*i])
	}
	refusing, err := decideAll(all, c.Now, args.quantity)
	if err != nil {
		return limiterError(err)
	}
	if !args.has(optPeek) {
		applyAll(all, c.Now)
	}
	looks := args.has(optPeek) || args.quantity == 0
	c.decided(refusing >= 0, looks)
	c.Out.Array(2 + len(all))
	c.Out.Int(int64(bit(refusing >= 0)))
	c.Out.Int(int64(refusing))
	for i := range all {
		if all[i].answer.limited && !looks {
			c.noteLimited(all[i].entry.Key())
		}
		c.replyAnswer(&all[i].answer, args.has(optMS))
	}
	return nil
}

// mthrottleArgs reads the limits, whose entries are yet to be found, and the options.
func mthrottleArgs(c *Call) (all []asked[cellRate], args limiterArgs, err error) {
	n, ok := parseInt(c.Args[1])
	if !ok || n < 1 || n > mostLimits || len(c.Args)-2 < int(n)*wordsPerLimit {
		return nil, args, errLimits
	}
	args = limiterArgs{name: c.Cmd.Name, rest: c.Args[2:], quantity: 1}
	all = make([]asked[cellRate], n)
	for i := range all {
		key := args.next()
		maxBurst, count, period := args.integer("max_burst"), args.integer("count"), args.seconds("period")
		if args.err != nil {
			return nil, args, args.err
		}
		if all[i].limiter.Quota, err = gcra.NewQuotaIn(maxBurst, count, period); err != nil {
			return nil, args, err
		}
		for j := range i {
			if bytes.Equal(c.Args[2+wordsPerLimit*j], key) {
				return nil, args, errSameKey
			}
		}
	}
	return all, args, args.options(optQuantity)
}
