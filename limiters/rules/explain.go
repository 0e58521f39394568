package rules

import (
	"strings"

	"cellserver/limiters"
	"cellserver/store"
)

// Explained is one limit of the rule, with its own answer. It is valid until Done.
type Explained struct {
	Scope, Limit string
	Window       int64 // nanoseconds in which the whole limit comes back
	Override     bool  // the key has limits of its own
	Answer       *limiters.Answer
	Key          []byte // of the request
	StateKey     []byte // holds the state
}

// Words splits the text of the limit into the name of its limiter and its arguments.
func (e *Explained) Words() (limiter, arguments string) {
	limiter, arguments, _ = strings.Cut(e.Limit, " ")
	return limiter, arguments
}

// Source returns where the limit comes from: "override" or "rule".
func (e *Explained) Source() string {
	if e.Override {
		return "override"
	}
	return "rule"
}

// Limits returns the number of the limits of the rule. It is valid until Done.
func (c *Check) Limits() int { return len(c.limits) }

// Explain returns limit number i of the rule, from 0.
func (c *Check) Explain(i int) Explained {
	from := &c.chosen[i]
	l, scope, key := from.limit, c.found.Scopes[from.scope].Name, c.Keys[from.scope]
	return Explained{scope, l.Text, l.Window(), from.own, &c.limits[i].Answer, key, c.keys[i].Key()}
}

// Look decides as [Check.Ask] does, and changes nothing. It does not give back reservations that have ended.
// The answer is the same as if they had been given back.
func (c *Check) Look(tx *store.Tx, now int64) error {
	if err := c.find(tx, now, false); err != nil {
		return err
	}
	return c.decide(now, c.Args.Quantity, c.Args.Has(limiters.OptCharge))
}

// State returns what the i-th limit counts, before the decision. It is valid until Done.
func (c *Check) State(i int, now int64) []limiters.Field {
	return c.chosen[i].limit.State(&c.limits[i].Entry, now)
}

// Rule returns the name of the rule, and where it comes from: "key" or "file". It is valid until Done.
func (c *Check) Rule() (name, source string) { return c.found.Name, c.found.Source() }
