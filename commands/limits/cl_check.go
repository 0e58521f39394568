package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/store"
)

// CL.CHECK name key [quantity] [CHARGE] [MS] [PEEK] asks a rule. Either all limits of the rule allow
// the quantity (1) and consume it, or all limits consume nothing. A rule with SHADOW always allows.
//
// With CHARGE all limits consume the quantity, whatever is left. If more than the limit counts,
// limited is 1, remaining is negative, and retry_after says when a quantity of 1 passes again.
//
// The reply is the reply of the tightest limit. If limits refuse, that is the refusing limit with
// the longest wait, else the limit with the least remaining.
//
// Each limit keeps its state in a key of its own: name:{key}:limiter.
var _ = commands.Register(&commands.Command{
	Name: "cl.check", Arity: -3, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.SubKey.With("RW ACCESS UPDATE"), Group: commands.GroupLimiter,
	Summary: "Decides by all limits of a rule whether an action may happen now, and counts the action if it may.",
	Usage:   "name key [quantity] [CHARGE] [MS] [PEEK]", Complexity: "O(N) where N is the number of the rule's limits, at most 8",
	Run: clCheck, Footprint: checkFootprint,
})

func checkFootprint(c *commands.Call, fp *store.Footprint) {
	scratch := c.Conn.Scratch.Check
	if scratch == nil {
		scratch = new(rules.Check)
		c.Conn.Scratch.Check = scratch
	}
	scratch.Footprint(c.Server.Rules, c.Args[1], c.Args[2], c.Conn.Transaction.Queue.Active, fp)
}

func clCheck(c *commands.Call) error {
	scratch, queued := c.Conn.Scratch.Check, c.Conn.Transaction.Running
	scratch.Args.Begin(c.Cmd.Name, c.Args[3:])
	err := scratch.Args.Finish(limiters.OptCharge)
	if err == nil {
		err = check(c, scratch, queued)
	}
	scratch.Done(queued)
	return limiters.Explain(err)
}

func check(c *commands.Call, scratch *rules.Check, queued bool) error {
	a, looks, err := scratch.Ask(c.Server.Rules, c.Tx, c.Args[1], c.Args[2], c.Now, queued)
	if err != nil {
		return err
	}
	count(c, c.Args[2], a.Limited, looks)
	replyAnswer(c, &a, scratch.Args.Has(limiters.OptMS))
	return nil
}
