package rules

import (
	"bytes"
	"fmt"

	"cellserver/internal/rediserr"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// MaxPairs is the most pairs of one request to several rules.
const MaxPairs = 16

// Errors of a request to several rules.
var (
	ErrPairs = rediserr.Error(fmt.Sprintf("ERR n should be from 1 to %d, with a rule and a key for each",
		MaxPairs))
	ErrSamePair = rediserr.Error("ERR a rule stands twice with the same key")
)

// Checks are a request to several rules. A request calls Footprint and Ask.
type Checks struct {
	Question          // of a request in words
	memory   []Check  // one for each pair
	asked    []*Check // the rules of the request
}

// Footprint adds the partitions that a request needs, as [Check.Footprint] does.
func (c *Checks) Footprint(r *ruleset.Rules, pairs [][]byte, queued bool, fp *store.Footprint) {
	c.grow(len(pairs) / 2)
	from := r.Sources() // all pairs see the same rules
	for at := 0; at < len(pairs); {
		at = c.memory[at/2].pairFootprint(r, from, pairs, at, queued, fp)
	}
}

// pairFootprint adds the partitions that the pairs of a rule need, and plans their question. It returns the
// position of the next pair.
func (c *Check) pairFootprint(
	r *ruleset.Rules, from ruleset.Sources, pairs [][]byte, at int, queued bool, fp *store.Footprint,
) (next int) {
	if c.looked = from.Parsed() && !queued; !c.looked {
		c.lockRules(r, pairs[at:at+2], fp)
		return at + 2
	}
	c.plan = &c.own
	name, _ := ruleset.CutScopes(pairs[at])
	c.found, c.asked = from.Decides(name), name
	next, err := c.takePairs(pairs, at)
	if err != nil {
		fp.AddKey(pairs[at+1]) // a call without partitions would have no transaction
		return at + 2
	}
	c.make(c.found, name, c.Keys)
	c.footprint(c.Keys, fp)
	return next
}

// grow makes memory for n pairs.
func (c *Checks) grow(n int) {
	if n > len(c.memory) {
		c.memory = append(c.memory, make([]Check, n-len(c.memory))...)
	}
}

// Ask answers a question.
func (c *Checks) Ask(r *ruleset.Rules, tx *store.Tx, q *Question, now int64, queued bool) error {
	c.grow(len(q.Pairs) / 2)
	c.asked = c.asked[:0]
	for at := 0; at < len(q.Pairs); {
		one := &c.memory[at/2]
		if !one.looked || queued {
			one.findRule(r, tx, q.Pairs[at], queued)
		}
		var err error
		if at, err = one.takePairs(q.Pairs, at); err != nil {
			return err
		}
		c.asked = append(c.asked, one)
		if err = one.find(tx, now, false); err != nil {
			return err
		}
		if len(c.asked) > 1 && c.shares(one) {
			return ErrSamePair
		}
	}
	q.Refusing = -1
	for i, one := range c.asked {
		if err := one.decide(now, q.Quantity, q.Charge); err != nil {
			return err
		}
		if one.refused && q.Refusing < 0 && !one.Shadow() {
			q.Refusing = i
		}
	}
	refused := q.Refusing >= 0 && !q.Charge
	if refused && len(c.asked) > 1 {
		if err := c.decideAgain(now); err != nil {
			return err
		}
	}
	for _, one := range c.asked {
		if q.Peek {
			one.giveBack(now)
		} else {
			one.apply(now)
		}
		if !q.Looks() && (!refused || one.refused) {
			one.count(now, q.Quantity, q.Charge, one.refused)
		}
	}
	return nil
}

// shares reports whether an earlier rule was asked under the same name and with an equal key in the same
// scope.
func (c *Checks) shares(one *Check) bool {
	for _, other := range c.asked[:len(c.asked)-1] {
		if !bytes.Equal(other.asked, one.asked) {
			continue
		}
		for i, key := range one.Keys {
			if bytes.Equal(key, other.Keys[i]) {
				return true
			}
		}
	}
	return false
}

// decideAgain repeats the question with a quantity of 0, because another rule refuses. It asks the rules that
// allowed the quantity.
func (c *Checks) decideAgain(now int64) error {
	for _, one := range c.asked {
		if one.refused {
			continue
		}
		if err := one.decide(now, 0, false); err != nil {
			return err
		}
		one.refused = false // what it has said before
	}
	return nil
}

// Rules returns the rules that were asked, in their order. They are valid until Release.
func (c *Checks) Rules() []*Check { return c.asked }

// Done ends a request that has ended in an error, or whose transaction goes on. See [Check.Done].
func (c *Checks) Done(goesOn bool) {
	for _, one := range c.asked {
		one.Done(goesOn)
	}
}

// Release is [Check.Release] for all checks.
func (c *Checks) Release() {
	c.Question = Question{}
	for i := range c.memory {
		c.memory[i].Release()
	}
}
