package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
)

// CL.EXPLAIN name key… [quantity] [CHARGE] [MS] explains the reply of CL.CHECK to the same arguments, limit
// by limit. It changes nothing.
//
// The reply is a map: the rule, its source (key or file), shadow (0 or 1), and the five numbers of the reply
// of CL.CHECK. tightest is the index of the limit that gives these numbers, from 0.
//
// limits has a map for each limit: the scope, the key of the request, the limiter and its arguments. source
// is "override" if the key has limits of its own, else "rule". state_key is the key that holds the state,
// and state has its numbers. Then the five numbers of this limit follow, and window: the time in which the
// whole limit comes back. words is the limit in people's words, or empty if no words mean it.
//
// The state of CL.THROTTLE has the tat, and that of CL.WINDOW has used and window_end. CL.SLIDING has
// previous and current, the counts of two aligned windows. At counts_end neither of them counts any more.
// CL.LOG has the number of entries that count, and the times of the oldest and the newest one. Times are
// Unix milliseconds, rounded up, or 0 for none.
var _ = commands.Register(&commands.Command{
	Name: "cl.explain", Arity: -3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.SubKey,
	Group: commands.GroupLimiter, Run: clExplain, Footprint: checkFootprint, LastKey: lastKey,
})

func clExplain(c *commands.Call) error {
	scratch, queued := c.Conn.Scratch.Check(), readsRules(c, c.Conn.Transaction.Running)
	err := scratch.Begin(c.Server.Rules, c.Tx, c.Cmd.Name, c.Args[1:], limiters.OptCharge, queued)
	if err == nil {
		err = explain(c, scratch)
	}
	scratch.Done(goesOn(c))
	return scratch.Args.Explain(err)
}

func explain(c *commands.Call, scratch *rules.Check) error {
	if err := checkKeys(c, 2, scratch.Keys); err != nil {
		return err
	}
	if err := scratch.Look(c.Tx, c.Now); err != nil {
		return err
	}
	millis := scratch.Args.Has(limiters.OptMS)
	name, source := scratch.Rule()
	answer := scratch.Answer()
	count(c, nil, answer.Limited, true)
	m := mapReply{c, millis}
	c.Out.Map(10)
	m.text("rule", name)
	m.text("source", source)
	m.number("shadow", int64(commands.Bit(scratch.Shadow())))
	m.answer(&answer)
	m.number("tightest", int64(scratch.Tightest()))
	m.name("limits")
	c.Out.Array(scratch.Limits())
	for i := range scratch.Limits() {
		m.limit(scratch.Explain(i), scratch.State(i, c.Now))
	}
	return nil
}

// mapReply writes the fields of maps.
type mapReply struct {
	*commands.Call
	millis bool
}

func (m mapReply) name(name string) { m.Out.BulkString(name) }

func (m mapReply) text(name, value string) {
	m.name(name)
	m.Out.BulkString(value)
}

func (m mapReply) bytes(name string, value []byte) {
	m.name(name)
	m.Out.Bulk(value)
}

func (m mapReply) number(name string, value int64) {
	m.name(name)
	m.Out.Int(value)
}

// answer writes the five numbers of an answer.
func (m mapReply) answer(a *limiters.Answer) {
	m.number("limited", int64(commands.Bit(a.Limited)))
	m.number("limit", a.Limit)
	m.number("remaining", a.Remaining)
	m.number("retry_after", wholeUnits(a.RetryAfter, m.millis))
	m.number("reset_after", wholeUnits(a.ResetAfter, m.millis))
}

// limit writes the map of a limit.
func (m mapReply) limit(one rules.Explained, state []limiters.Field) {
	limiter, arguments := one.Words()
	m.Out.Map(14)
	m.text("scope", one.Scope)
	m.bytes("key", one.Key)
	m.text("limiter", limiter)
	m.text("arguments", arguments)
	m.text("source", one.Source())
	m.bytes("state_key", one.StateKey)
	m.name("state")
	m.Out.Map(len(state))
	for _, f := range state {
		m.number(f.Name, f.Value)
	}
	m.answer(one.Answer)
	m.number("window", wholeUnits(one.Window, m.millis))
	m.text("words", ruleset.Words(one.Limit))
}
