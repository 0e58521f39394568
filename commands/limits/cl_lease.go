package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/store"
)

// CL.LEASE want ttl [BACK n at ends] command key [argument [argument ...]] takes up to want units of a limit
// in advance. The caller may spend them until ends milliseconds after it has sent the question. The command
// is the one that it would send for each action, such as CL.THROTTLE or CL.CHECK, without a quantity and
// without options.
//
// The limit counts the units at once, as if all were spent at the end of the lease. So it holds in each of
// its windows, whatever the holder does. A lease lasts for ttl milliseconds at most, and for
//
//	GCRA      a quarter of the time in which the whole limit comes back, and one second at most
//	windows   a quarter of the window; it ends with the window
//	a log     a twentieth of the period
//
// BACK first gives n units of an earlier lease back. The words at and ends are those of its reply. A GCRA
// keeps what has come back since the grant. Units of a lease from over a minute ago, or from before a
// change of rules, stay counted.
//
// The reply has seven integers: granted, limit, remaining, retry_after, reset_after, ends and at. The word
// at is the time of the grant in Unix microseconds, and other times are milliseconds. If granted is less than
// want, retry_after says when a lease gets a further unit. It is -1 otherwise, and if a lease of this limit
// never gets one.
var _ = commands.Register(&commands.Command{
	Name: "cl.lease", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.Keys{Inner: leasedKeys, Access: "RW ACCESS UPDATE"}, Group: commands.GroupLimiter,
	Run: clLease, Footprint: leaseFootprint, LastKey: leaseLastKey,
})

// leased returns the position of the command whose limit a call leases.
func leased(args [][]byte) int {
	const first, afterBack = 3, 7
	if len(args) > first && commands.Is(args[first], "back") {
		return afterBack
	}
	return first
}

// lookupInner returns the command of a name. Pipelines mostly repeat it, and a comparison takes less time
// than the search in the table.
func lookupInner(c *commands.Call, name []byte) *commands.Command {
	inner, _ := c.Conn.Scratch.Inner.(*commands.Command)
	if inner == nil || !commands.Is(name, inner.Name) {
		inner = commands.Lookup(name)
		c.Conn.Scratch.Inner = inner
	}
	return inner
}

// leasedKeys returns the position of the command whose limit a call leases, and where that command has its
// keys.
func leasedKeys(args [][]byte) (at int, keys commands.Keys) {
	if at = leased(args); at < len(args) {
		if cmd := commands.Lookup(args[at]); cmd != nil && cmd.Keys.Inner == nil {
			keys = cmd.Keys
		}
	}
	return at, keys
}

// leasedRule returns the words of CL.CHECK from the name of the rule on. It returns nil if a call leases
// another command, or has too few words.
func leasedRule(args [][]byte) [][]byte {
	at := leased(args)
	if len(args) < at+3 || !commands.Is(args[at], "cl.check") {
		return nil
	}
	return args[at+1:]
}

func leaseFootprint(c *commands.Call, fp *store.Footprint) {
	if words := leasedRule(c.Args); words != nil {
		queued := readsRules(c, c.Conn.Transaction.Queue.Active)
		c.Conn.Scratch.Check().ReserveFootprint(c.Server.Rules, words, queued, fp)
		return
	}
	at := leased(c.Args)
	if at >= len(c.Args) {
		return
	}
	if inner := lookupInner(c, c.Args[at]); inner != nil && inner.Keys.Inner == nil {
		inner.EachKey(c.Args[at:], fp.AddKey)
	}
}

// leaseLastKey returns the position of the last key of a lease of a rule, 0 for another lease.
func leaseLastKey(c *commands.Call) int {
	words := leasedRule(c.Args)
	if words == nil {
		return 0
	}
	return len(c.Args) - len(words) + c.Server.Rules.Scopes(c.Tx, words[0])
}

func clLease(c *commands.Call) error {
	args := &c.Conn.Scratch.Limiter().Args
	args.Begin(c.Cmd.Name, c.Args[1:])
	r, err := limiters.ReadLeaseRequest(args)
	if err != nil {
		return err
	}
	at := leased(c.Args)
	if at >= len(c.Args) {
		return commands.WrongArity(c.Cmd.Name)
	}
	inner, err := commands.Resolve(lookupInner(c, c.Args[at]), c.Args[at:])
	switch {
	case err != nil:
		return err
	case leasedRule(c.Args) != nil:
		return leaseRule(c, c.Args[at+1:], &r)
	}
	return leaseLimit(c, inner.FullName(), c.Args[at+1:], &r)
}

// leaseRule leases units of a rule.
func leaseRule(c *commands.Call, words [][]byte, r *limiters.LeaseRequest) error {
	scratch, queued := c.Conn.Scratch.Check(), readsRules(c, c.Conn.Transaction.Running)
	defer func() { scratch.Done(goesOn(c)) }()
	if err := scratch.BeginLease(c.Server.Rules, c.Tx, words, queued); err != nil {
		return scratch.Args.Explain(err)
	}
	if err := checkKeys(c, len(c.Args)-len(words)+1, scratch.Keys); err != nil {
		return err
	}
	var a limiters.Answer
	g, err := scratch.Lease(c.Tx, c.Now, c.Server.Rules, r, &a)
	if err != nil {
		return limiters.Explain(err)
	}
	replyLease(c, scratch.TightestKey(), r, g, &a)
	return nil
}

// leaseLimit leases units of the limit of one key. The argument words are those after the name of its
// command.
func leaseLimit(c *commands.Call, name string, words [][]byte, r *limiters.LeaseRequest) error {
	scratch := c.Conn.Scratch.Limiter()
	l, err := scratch.Args.Lessor(name, words[min(1, len(words)):])
	if err != nil {
		return err
	}
	all, key := scratch.Leased[:], words[0]
	all[0].Limiter = l
	c.Tx.FindIn(&all[0].Entry, key, l.KeepsTAT())
	g, err := r.Begin(all, c.Now)
	if err == nil {
		err = r.Ask(&g, all, nil, c.Now, func(int) bool { return true })
	}
	if err != nil {
		return limiters.Explain(err)
	}
	replyLease(c, key, r, g, &all[0].Answer)
	return nil
}

// replyLease replies with a lease, and counts the decision about the key.
func replyLease(
	c *commands.Call, key []byte, r *limiters.LeaseRequest, g limiters.Granted, a *limiters.Answer,
) {
	if looks := r.Want == 0; looks || a.Limited {
		count(c, key, a.Limited, looks)
	}
	c.Server.Stats.Commands.Leased(c.Conn, g.Units, g.Returned)
	retry, reset := wholeUnits(g.Next, true), wholeUnits(a.ResetAfter, true)
	c.Out.Ints(g.Units, a.Limit, a.Remaining, retry, reset, g.Ends, g.At)
}
