package rules

import (
	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// errShadow is the error of a lease of a rule that never refuses.
const errShadow rediserr.Error = "ERR a rule with SHADOW cannot be leased: ask it for each action"

// BeginLease finds the rule and the keys of a request for a lease. The argument words are those of CL.CHECK
// from the name of the rule on, without a quantity and without options.
func (c *Check) BeginLease(r *ruleset.Rules, tx *store.Tx, words [][]byte, queued bool) error {
	err := c.begin(r, tx, "cl.check", words, queued)
	switch {
	case err != nil:
		return err
	case c.Args.More() != nil:
		return rediserr.Error("ERR a lease has no quantity and no options: leave out " +
			quote.Word(c.Args.More()))
	case c.found.Shadow:
		return errShadow
	}
	return nil
}

// Lease gives units of an earlier lease back, and then asks every limit of the rule for new ones. It charges
// all limits, or none. It sets the argument a to the answer of the tightest limit.
func (c *Check) Lease(
	tx *store.Tx, now int64, by *ruleset.Rules, r *limiters.LeaseRequest, a *limiters.Answer,
) (g limiters.Granted, err error) {
	if err = c.find(tx, now, false); err != nil {
		return g, err
	}
	if g, err = r.Begin(c.limits, now); err != nil {
		return g, err
	}
	if c.dryRun != nil {
		if err = g.Look(c.limits, now); err != nil {
			return g, err
		}
		c.giveBack(now)
	}
	changed, scope, reset := by.ChangedAt(tx), -1, int64(0)
	err = r.Ask(&g, c.limits, c.found.Ledger, now, func(limit int) bool {
		if of := c.chosen[limit].scope; of != scope { // the limits of a scope are neighbours
			scope, reset = of, c.resetAt(tx, of)
		}
		return r.Of.At > max(changed, reset)
	})
	if err != nil {
		return g, err
	}
	c.chooseTightest()
	*a = c.limits[c.tightest].Answer
	if g.Units > 0 {
		c.releases.keep(c.limits, c.chosen[:])
	}
	if g.Units > 0 || a.Limited {
		one := ruleset.Recorded{At: now, Quantity: max(g.Units, 1), Limited: a.Limited}
		c.found.Count(one, c.asked, c.Keys)
	}
	return g, nil
}
