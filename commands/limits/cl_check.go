package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/store"
)

// CL.CHECK name key… [quantity] [CHARGE] [EXPLAIN] [MS] [PEEK] asks a rule, with one key for each
// scope of the rule. Either all limits of the rule allow the quantity (1) and consume it, or all
// limits consume nothing. A rule with SHADOW always allows.
//
// With CHARGE all limits consume the quantity, even if less is left. If more than the limit counts, limited
// is 1, remaining is negative, and retry_after says when a quantity of 1 passes again.
//
// The reply is the reply of the tightest limit. If limits refuse, that is the refusing limit with
// the longest wait, else the limit with the least remaining. EXPLAIN adds four elements: the scope
// and the text of the tightest limit, an array with every limit, and SHADOW as 0 or 1.
// A limit has its scope, its text, its five integers, and the time in which it comes back as a whole.
// The ninth element of a limit is "override" if the key has limits of its own, else "rule".
//
// Each limit keeps its state in a key of its own: name:{key}:limiter, or name@scope:{key}:limiter.
var _ = commands.Register(&commands.Command{
	Name: "cl.check", Arity: -3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.SubKey.With("RW ACCESS UPDATE"), Group: commands.GroupLimiter, Run: clCheck,
	Footprint: checkFootprint, LastKey: lastKey, Prefetch: prefetchAsked(false), Cost: costOfCheck,
})

// prefetchAsked prefetches for a rule that is asked, or that reserves.
func prefetchAsked(reserves bool) func(*commands.Conn, *commands.Server, *store.Tx, [][]byte) {
	return func(c *commands.Conn, s *commands.Server, tx *store.Tx, args [][]byte) {
		if len(args) >= 3 {
			c.Scratch.Check().Prefetch(s.Rules, tx, c.DB, args[1:], reserves)
		}
	}
}

func checkFootprint(c *commands.Call, fp *store.Footprint) {
	c.Conn.Scratch.Check().Footprint(c.Server.Rules, c.Args[1:], readsRules(c, c.Conn.Transaction.Queue.Active), fp)
}

// readsRules reports whether a call must read the rules from their key, because its transaction may have
// changed them. It must in EXEC (queued), and in a script that has locked that key.
func readsRules(c *commands.Call, queued bool) bool {
	if queued || !c.InScript || c.Tx == nil {
		return queued
	}
	var fp store.Footprint
	c.Server.Rules.Lock(&fp)
	return c.Tx.Holds(&fp)
}

// goesOn reports whether the transaction of a call goes on after it.
func goesOn(c *commands.Call) bool { return c.Conn.Transaction.Running || c.InScript }

func clCheck(c *commands.Call) error {
	scratch, queued := c.Conn.Scratch.Check(), readsRules(c, c.Conn.Transaction.Running)
	err := scratch.Begin(c.Server.Rules, c.Tx, c.Cmd.Name, c.Args[1:], limiters.OptCharge|limiters.OptExplain, queued)
	if err == nil {
		err = check(c, scratch)
	}
	scratch.Done(goesOn(c))
	return scratch.Args.Explain(err)
}

func check(c *commands.Call, scratch *rules.Check) error {
	if err := checkKeys(c, 2, scratch.Keys); err != nil {
		return err
	}
	var a limiters.Answer
	looks, err := scratch.Ask(c.Tx, c.Now, &a)
	if err != nil {
		return err
	}
	if a.Limited || looks {
		count(c, scratch.TightestKey(), a.Limited, looks)
	}
	replyCheck(c, scratch, &a, &scratch.Args)
	return nil
}

// replyCheck replies with the decision of a rule, and explains it if the request asks for that.
func replyCheck(c *commands.Call, asked *rules.Check, a *limiters.Answer, args *limiters.Args) {
	millis := args.Has(limiters.OptMS)
	if args.Has(limiters.OptExplain) {
		replyExplained(c, asked, a, millis)
	} else {
		replyAnswer(c, a, millis)
	}
}

// lastKey returns the position of the last key of a call of a rule.
func lastKey(c *commands.Call) int { return 1 + c.Server.Rules.Scopes(c.Tx, c.Args[1]) }

// checkKeys returns an error if the user must not use one of the keys. In cluster mode it also returns one if
// they have different slots. The server has checked them before, but the rule may have changed, or nobody had
// parsed it. The argument first is the position of the first key in the call.
func checkKeys(c *commands.Call, first int, keys [][]byte) error {
	if len(keys) < 2 {
		return nil
	}
	if err := c.Runner.Permit(c, first+len(keys)-1); err != nil || !c.HasSlots() {
		return err
	}
	for _, key := range keys[1:] {
		if store.Slot(key) != store.Slot(keys[0]) {
			return commands.ErrCrossSlot
		}
	}
	return nil
}

// replyExplained replies with an answer, the tightest limit, and every limit with its own answer.
func replyExplained(c *commands.Call, scratch *rules.Check, a *limiters.Answer, millis bool) {
	tightest := scratch.Explain(scratch.Tightest())
	c.Out.Array(9)
	replyNumbers(c, a, millis)
	c.Out.BulkString(tightest.Scope)
	c.Out.BulkString(tightest.Limit)
	c.Out.Array(scratch.Limits())
	for i := range scratch.Limits() {
		one := scratch.Explain(i)
		c.Out.Array(9)
		c.Out.BulkString(one.Scope)
		c.Out.BulkString(one.Limit)
		replyNumbers(c, one.Answer, millis)
		c.Out.Int(wholeUnits(one.Window, millis))
		c.Out.BulkString(one.Source())
	}
	c.Out.Int(int64(commands.Bit(scratch.Shadow())))
}

// replyNumbers replies with the five integers of an answer, as parts of an array.
func replyNumbers(c *commands.Call, a *limiters.Answer, millis bool) {
	for _, n := range [...]int64{int64(commands.Bit(a.Limited)), a.Limit, a.Remaining, wholeUnits(a.RetryAfter, millis), wholeUnits(a.ResetAfter, millis)} {
		c.Out.Int(n)
	}
}
