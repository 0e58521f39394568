package commands

import (
	"cellserver/gcra"
	"cellserver/store"
)

// CL.CHARGE key max_burst count period quantity [MS] [PEEK] takes a quantity from what
// CL.THROTTLE has of the key, whatever is left: for what costs how much is known only when it
// is done. If more is taken than there was, limited is 1, remaining is below 0 by what is
// owed, and retry_after is the time until nothing is.
var _ = register(&Command{
	Name: "cl.charge", Arity: -6, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary: "Takes a quantity, even if it is more than there is: for costs known only afterwards (GCRA).",
	Usage:   "key max_burst count period quantity [MS] [PEEK]", Complexity: "O(1)",
	Run: func(c *Call) error { return ask(c, chargeLimit) },
})

// chargedRate takes without asking.
type chargedRate struct{ cellRate }

func chargeLimit(a *limiterArgs) (r chargedRate, err error) {
	maxBurst, count, period := a.integer("max_burst"), a.integer("count"), a.seconds("period")
	a.quantity = a.integer("quantity")
	if err = a.options(0); err == nil {
		r.Quota, err = gcra.NewQuotaIn(maxBurst, count, period)
	}
	return r, err
}

func (r chargedRate) decide(e *store.Entry, a *answer, now, quantity int64) error {
	tat, err := integer(e)
	if err != nil {
		return err
	}
	d, err := r.Charge(tat, now, quantity)
	a.setRate(d)
	return err
}
