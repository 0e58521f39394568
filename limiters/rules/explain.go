package rules

import "cellserver/limiters"

// Explained is one limit of the rule, with its own answer.
type Explained struct {
	Scope, Limit string
	Window       int64 // nanoseconds in which the whole limit comes back
	Override     bool  // the key has limits of its own
	Answer       *limiters.Answer
}

// Explain returns every limit of the rule, and the index of the tightest limit.
func (c *Check) Explain() (all []Explained, tightest int) {
	for i := range c.limits {
		from := &c.chosen[i]
		s := &c.found.scopes[from.scope]
		own := s.overrides[string(c.Keys[from.scope])] != nil
		all = append(all, Explained{s.name, from.limit.text, from.limit.Window(), own, &c.limits[i].Answer})
	}
	return all, c.tightest()
}
