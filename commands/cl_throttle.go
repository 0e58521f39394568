package commands

import (
	"strconv"

	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/gcra"
	"cellserver/store"
)

// CL.THROTTLE key max_burst count period [quantity [MS] [PEEK]] decides whether quantity (1)
// actions on key may happen now, count of them per period seconds with bursts of
// max_burst+1. CL.PROBE takes the same arguments, decides the same and changes nothing.
//
// The reply is five integers: limited (0 or 1), limit, remaining, retry_after and
// reset_after, the last two in seconds, rounded up; retry_after is -1 when the action
// was allowed, or can never be.
//
// Source: https://github.com/brandur/redis-cell
var (
	_ = register(&Command{
		Name: "cl.throttle", Arity: -1, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
		Summary: "Decides whether an action may happen now, and counts it if so (GCRA).",
		Usage:   "key max_burst count period [quantity [MS] [PEEK]]", Complexity: "O(1)", Run: clThrottle,
	})
	_ = register(&Command{
		Name: "cl.probe", Arity: -1, Flags: ReadOnly | Fast, Keys: oneKey, Group: Limiter,
		Summary: "Decides as CL.THROTTLE would, and changes nothing.",
		Usage:   "key max_burst count period [quantity [MS]]", Complexity: "O(1)", Run: clProbe,
	})
)

func clThrottle(c *Call) error {
	if len(c.Args) > throttleWords {
		return ask(c, throttleLimit)
	}
	quota, quantity, err := throttleArgs(c.Args)
	if err != nil {
		return err
	}
	var e store.Entry
	c.Tx.WriteTATIn(&e, c.Args[1])
	tat, err := integer(&e)
	if err != nil {
		return err
	}
	d, err := quota.Decide(tat, c.Now, quantity)
	if err != nil {
		return limiterError(err)
	}
	if d.Changed {
		keepTAT(&e, d.TAT, c.Now)
	}
	c.replyDecision(d, quantity == 0)
	return nil
}

func clProbe(c *Call) error {
	if len(c.Args) > throttleWords {
		return ask(c, throttleLimit)
	}
	quota, quantity, err := throttleArgs(c.Args)
	if err != nil {
		return err
	}
	e := c.Tx.Read(c.Args[1])
	tat, err := integer(&e)
	if err != nil {
		return err
	}
	d, err := quota.Decide(tat, c.Now, quantity)
	if err != nil {
		return limiterError(err)
	}
	c.replyDecision(d, true)
	return nil
}

// keepTAT stores a TAT until it has passed; one that already has says nothing that no
// key would not say.
func keepTAT(e *store.Entry, tat, now int64) {
	if tat <= now {
		e.Delete()
		return
	}
	e.SetInt(tat, exact.CeilDiv(tat, 1e6))
}

// replyDecision replies and counts the decision. A look changes nothing.
func (c *Call) replyDecision(d gcra.Decision, looked bool) {
	c.decidedOn(c.Args[1], d.Limited, looked)
	c.Out.Ints(int64(bit(d.Limited)), d.Limit, d.Remaining, gcra.CeilSeconds(d.RetryAfter), gcra.CeilSeconds(d.ResetAfter))
}

const throttleUsage Error = "Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]"

// throttleArgs parses the arguments in redis-cell's order and words.
func throttleArgs(args [][]byte) (quota gcra.Quota, quantity int64, err error) {
	if len(args) < 5 || len(args) > 6 {
		return quota, 0, throttleUsage
	}
	return throttleNumbers(args[2:])
}

// throttleNumbers parses max_burst, count, period and, if it is there, quantity.
func throttleNumbers(words [][]byte) (quota gcra.Quota, quantity int64, err error) {
	maxBurst, ok := decimal.Parse(words[0])
	count, ok2 := decimal.Parse(words[1])
	period, ok3 := decimal.Parse(words[2])
	if !ok || !ok2 || !ok3 || len(words) > 3 {
		return oddNumbers(words)
	}
	quota, err = gcra.NewQuota(maxBurst, count, period)
	return quota, 1, cellError(err)
}

// oddNumbers is throttleNumbers where there is a quantity, or a number is none or is not as
// Redis would write it.
func oddNumbers(words [][]byte) (quota gcra.Quota, quantity int64, err error) {
	n := [4]int64{3: 1}
	for i, word := range words {
		if n[i], err = cellInt(word); err != nil {
			return quota, 0, err
		}
	}
	quota, err = gcra.NewQuota(n[0], n[1], n[2])
	return quota, n[3], cellError(err)
}

// cellError is an error of a quota, as redis-cell words it if it knows it.
func cellError(err error) error {
	switch err {
	case nil:
		return nil
	case gcra.ErrZeroRate:
		return Error("Cell error: Store error: " + err.Error())
	}
	return Error("ERR " + err.Error())
}

// cellInt parses an integer as redis-cell (Rust) does: an optional sign and digits;
// "+1", "007" and "-0" are fine.
func cellInt(b []byte) (int64, error) {
	if n, ok := parseInt(b); ok {
		return n, nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, Error("Cell error: Store error: Couldn't parse as integer: " + string(b))
	}
	return n, nil
}

// throttleWords are the words of a call without options.
const throttleWords = 6

// cellRate is the limit of CL.THROTTLE. Its key is a TAT.
type cellRate struct{ gcra.Quota }

// throttleLimit reads the parameters as [throttleArgs] does, and then options: a call that
// has none does not come here.
func throttleLimit(a *limiterArgs) (r cellRate, err error) {
	n := 3
	if !a.rule {
		n++
	}
	if len(a.rest) < n {
		return r, throttleUsage
	}
	r.Quota, a.quantity, err = throttleNumbers(a.rest[:n])
	a.rest = a.rest[n:]
	switch {
	case err != nil:
		return r, err
	case len(a.rest) > 0 && numeric(a.rest[0]):
		return r, throttleUsage
	}
	return r, a.options(0)
}

// find finds a key whose TAT may have passed.
func (cellRate) find(e *store.Entry, tx *store.Tx, key []byte) { tx.WriteTATIn(e, key) }

func (r cellRate) decide(e *store.Entry, a *answer, now, quantity int64) error {
	tat, err := integer(e)
	if err != nil {
		return err
	}
	d, err := r.Decide(tat, now, quantity)
	a.setRate(d)
	return err
}

// setRate makes it the answer of a rate.
func (a *answer) setRate(d gcra.Decision) {
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0] = d.TAT
}

func (cellRate) apply(e *store.Entry, a *answer, now int64) { keepTAT(e, a.state[0], now) }
