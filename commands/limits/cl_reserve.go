package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// CL.RESERVE name key… quantity id ttl [RELEASE] [EXPLAIN] [MS] [PEEK] asks a rule as CL.CHECK does, for an
// estimate of a cost. For ttl seconds, CL.SETTLE may put the real cost in its place. If nobody settles a
// reservation, the estimate stays counted. With RELEASE it is given back at the end of the ttl. The same id
// again, for the same rule and keys, changes nothing and gives the same answer. So a client may retry.
// EXPLAIN adds the scope and the text of the limit that refuses, or two empty strings.
//
// CL.SETTLE name key… id quantity [MS] [PEEK] settles a reservation: it gives the difference back, or
// charges it. The reply is that of a charge: remaining may be negative. Again, the same id changes
// nothing and gives the same answer. A reservation that is not there is the error NORESERVATION.
//
// The records of reservations are in a string key of the last key, name:{key}:reserved. If that key has
// many, further records are in name:{key}:reserved:number. Reservations with RELEASE are in sorted sets,
// too: name@scope:{key}:release for each key. The next request of the rule for the key gives back what is
// due.
var (
	_ = commands.Register(&commands.Command{
		Name: "cl.reserve", Arity: -6, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.SubKey.With("RW ACCESS UPDATE"), Group: commands.GroupLimiter, Run: clReserve,
		Footprint: reserveFootprint, LastKey: lastKey, Prefetch: prefetchAsked(true),
	})
	_ = commands.Register(&commands.Command{
		Name: "cl.settle", Arity: -5, Flags: commands.Write | commands.Fast,
		Keys: commands.SubKey.With("RW ACCESS UPDATE"), Group: commands.GroupLimiter, Run: clSettle,
		Footprint: reserveFootprint, LastKey: lastKey, Prefetch: prefetchAsked(true),
	})
)

func reserveFootprint(c *commands.Call, fp *store.Footprint) {
	c.Conn.Scratch.Check().ReserveFootprint(c.Server.Rules, c.Args[1:], readsRules(c, c.Conn.Transaction.Queue.Active), fp)
}

func clReserve(c *commands.Call) error {
	return reserving(c, (*rules.Check).BeginReserve, (*rules.Check).Reserve)
}

func clSettle(c *commands.Call) error {
	return reserving(c, (*rules.Check).BeginSettle, (*rules.Check).Settle)
}

// reserving runs CL.RESERVE or CL.SETTLE.
func reserving(c *commands.Call,
	begin func(*rules.Check, *ruleset.Rules, *store.Tx, string, [][]byte, bool) error,
	run func(*rules.Check, *store.Tx, int64) (limiters.Answer, bool, error)) error {
	scratch, queued := c.Conn.Scratch.Check(), readsRules(c, c.Conn.Transaction.Running)
	err := begin(scratch, c.Server.Rules, c.Tx, c.Cmd.Name, c.Args[1:], queued)
	if err == nil {
		err = reserve(c, scratch, run)
	}
	scratch.Done(goesOn(c))
	return scratch.Args.Explain(err)
}

func reserve(c *commands.Call, scratch *rules.Check, run func(*rules.Check, *store.Tx, int64) (limiters.Answer, bool, error)) error {
	if err := checkKeys(c, 2, scratch.Keys); err != nil {
		return err
	}
	a, looks, err := run(scratch, c.Tx, c.Now)
	if err != nil {
		return err
	}
	if a.Limited || looks {
		count(c, scratch.TightestKey(), a.Limited, looks)
	}
	replyReserved(c, scratch, &a)
	return nil
}

// replyReserved replies with an answer. With EXPLAIN it names the limit that refuses.
func replyReserved(c *commands.Call, scratch *rules.Check, a *limiters.Answer) {
	millis := scratch.Args.Has(limiters.OptMS)
	if !scratch.Args.Has(limiters.OptExplain) {
		replyAnswer(c, a, millis)
		return
	}
	scope, limit := "", ""
	if a.Limited { // only then the limits have decided, because a record has no refusals
		tightest := scratch.Explain(scratch.Tightest())
		scope, limit = tightest.Scope, tightest.Limit
	}
	c.Out.Array(7)
	replyNumbers(c, a, millis)
	c.Out.BulkString(scope)
	c.Out.BulkString(limit)
}
