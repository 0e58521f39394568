package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/store"
)

// CL.MCHECK n name key [name key …] [QUANTITY q] [CHARGE] [EXPLAIN] [MS] [PEEK] asks rules, with n pairs of
// a rule and a key. A rule with scopes stands once for each of its scopes, one after the other. Either all
// rules allow the quantity (1) and consume it, or no rule consumes anything. With CHARGE all rules consume
// it, even if less is left.
//
// The reply has limited (0 or 1) and the index of the first rule that refuses, from 0, or -1. Then
// the reply of CL.CHECK follows for each rule.
var _ = commands.Register(&commands.Command{
	Name: "cl.mcheck", Arity: -4, Flags: commands.Write | commands.DenyOOM,
	Keys:  commands.Keys{NumKeys: 1, Skip: 1, Step: 2, Access: "RW ACCESS UPDATE"},
	Group: commands.GroupLimiter, Run: clMcheck, Footprint: mcheckFootprint,
	Cost: costOfMcheck,
})

func mcheckFootprint(c *commands.Call, fp *store.Footprint) {
	q, queued := c.Conn.Link.Asked, false
	if q == nil {
		q, queued = c.Conn.Scratch.Question(), readsRules(c, c.Conn.Transaction.Queue.Active)
		if q.Pairs = mcheckPairs(c); q.Pairs == nil { // an error
			c.Cmd.EachKey(c.Args, fp.AddKey)
			return
		}
	}
	q.Footprint(c.Server.Rules, queued, fp)
}

// mcheckPairs returns the names and keys of a call, nil if their number is wrong.
func mcheckPairs(c *commands.Call) [][]byte {
	n, ok := commands.ParseInt(c.Args[1])
	if !ok || n < 1 || n > rules.MaxPairs || len(c.Args)-2 < int(2*n) {
		return nil
	}
	return c.Args[2 : 2+2*n]
}

// clMcheck answers the question of a caller inside the process (typed), or reads one and replies.
func clMcheck(c *commands.Call) error {
	var args limiters.Args
	q, queued := c.Conn.Link.Asked, false
	typed := q != nil
	if !typed {
		q, queued = c.Conn.Scratch.Question(), readsRules(c, c.Conn.Transaction.Running)
		if err := readQuestion(c, q, &args); err != nil {
			return args.Explain(err)
		}
	}
	err := q.Ask(c.Server.Rules, c.Tx, c.Now, queued)
	if err == nil {
		countQuestion(c, q)
		if typed {
			q.Explain()
		} else {
			replyQuestion(c, q, &args)
		}
	}
	if err != nil || goesOn(c) {
		q.Done(goesOn(c))
	}
	switch {
	case err == nil:
		return nil
	case typed:
		_ = readQuestion(c, q, &args) // the error may repeat a word
	}
	return args.Explain(err)
}

// readQuestion reads the question of a call.
func readQuestion(c *commands.Call, q *rules.Question, args *limiters.Args) error {
	if q.Pairs = mcheckPairs(c); q.Pairs == nil {
		return rules.ErrPairs
	}
	args.Begin(c.Cmd.Name, c.Args[2+len(q.Pairs):])
	err := args.Options(limiters.OptQuantity | limiters.OptCharge | limiters.OptExplain)
	q.Quantity, q.Peek, q.Charge = args.Quantity, args.Has(limiters.OptPeek), args.Has(limiters.OptCharge)
	return err
}

// replyQuestion replies with the answers of all rules.
func replyQuestion(c *commands.Call, q *rules.Question, args *limiters.Args) {
	c.Out.Array(2 + len(q.Rules()))
	c.Out.Int(int64(commands.Bit(q.Refusing >= 0)))
	c.Out.Int(int64(q.Refusing))
	for _, one := range q.Rules() {
		a := one.Answer()
		replyCheck(c, one, &a, args)
	}
}

// countQuestion counts the decision, and the keys of the rules that refuse.
func countQuestion(c *commands.Call, q *rules.Question) {
	limited, looks := q.Refusing >= 0, q.Looks()
	if !limited && !looks {
		return
	}
	c.Server.Stats.Commands.Decided(c.Cmd, limited, looks)
	for _, one := range q.Rules() {
		if a := one.Answer(); a.Limited && !looks {
			c.Server.Stats.Limited.Add(c.Tx.DB(), one.TightestKey())
		}
	}
}
