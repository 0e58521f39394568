package rules

import (
	"bytes"
	"fmt"

	"cellserver/internal/rediserr"
	"cellserver/limiters"
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

// Checks are a request to several rules. A request calls Footprint, Ask, and then Done.
//
// The rules and their keys alternate: name, key, name, key. A rule with scopes occurs once for each of its
// scopes, one after the other. It may name them: name@scope, key. All rules consume the quantity, or none
// does. A rule with SHADOW decides for itself, and consumes nothing if another rule refuses.
type Checks struct {
	memory  []Check // one for each pair
	asked   []*Check
	refuses []bool // a limit of the rule refuses
}

// Footprint adds the partitions that a request needs, as [Check.Footprint] does.
func (c *Checks) Footprint(r *ruleset.Rules, pairs [][]byte, queued bool, fp *store.Footprint) {
	c.grow(len(pairs) / 2)
	from := r.Sources() // all pairs see the same rules
	for i := range len(pairs) / 2 {
		c.memory[i].pairFootprint(r, from, pairs[2*i:2*i+2], queued, fp)
	}
}

// pairFootprint adds the partitions that a pair needs. It finds the rule, and leaves the plan to beginPairs.
func (c *Check) pairFootprint(
	r *ruleset.Rules, from ruleset.Sources, words [][]byte, queued bool, fp *store.Footprint,
) {
	if c.looked = from.Parsed() && !queued; !c.looked {
		c.lockRules(r, words, fp)
		return
	}
	key := words[1]
	fp.AddKey(key)
	c.plan = &c.own
	name, _ := ruleset.CutScopes(words[0])
	if c.found, c.asked = from.Decides(name), name; c.found == nil || ruleset.SharesSlot(key) {
		return
	}
	for i := range c.found.Scopes { // the key may be that of any scope
		c.addStates(&c.found.Scopes[i], key, fp)
	}
}

// grow makes memory for n pairs.
func (c *Checks) grow(n int) {
	if n > len(c.memory) {
		c.memory = append(c.memory, make([]Check, n-len(c.memory))...)
	}
}

// Ask decides. With CHARGE all rules consume the quantity, even if less is left. refusing is the index of the
// first rule that refuses, -1 if all allow.
func (c *Checks) Ask(
	r *ruleset.Rules, tx *store.Tx, pairs [][]byte, args *limiters.Args, now int64, queued bool,
) (refusing int, err error) {
	c.grow(len(pairs) / 2)
	c.asked, c.refuses = c.asked[:0], c.refuses[:0]
	for at := 0; at < len(pairs); {
		one := &c.memory[at/2]
		if at, err = one.beginPairs(r, tx, pairs, at, now, queued); err != nil {
			return -1, err
		}
		if c.shares(one) {
			return -1, ErrSamePair
		}
		c.asked = append(c.asked, one)
	}
	refusing, charges := -1, args.Has(limiters.OptCharge)
	for i, one := range c.asked {
		if err := one.decide(now, args.Quantity, charges); err != nil {
			return -1, err
		}
		c.refuses = append(c.refuses, one.refuses())
		if refusing < 0 && c.refuses[i] && !one.Shadow() {
			refusing = i
		}
	}
	if refusing >= 0 && !charges {
		err = c.decideAgain(now)
	}
	switch {
	case err != nil:
	case args.Has(limiters.OptPeek):
		for _, one := range c.asked {
			one.giveBack(now)
		}
	default:
		c.apply(now, args.Quantity, refusing >= 0 && !charges, charges)
	}
	return refusing, err
}

// beginPairs finds the rule of a pair, and takes as many pairs as the rule has scopes. It returns the
// position of the next pair.
func (c *Check) beginPairs(
	r *ruleset.Rules, tx *store.Tx, pairs [][]byte, at int, now int64, queued bool,
) (next int, err error) {
	one, err := c.rule(r, tx, pairs[at], queued)
	if err != nil {
		return at, err
	}
	if next, err = c.takePairs(one, pairs, at); err != nil {
		return at, err
	}
	c.looked = false // there is no plan yet
	return next, c.find(tx, now, false)
}

// shares reports whether an earlier rule was asked under the same name and with an equal key in the same
// scope.
func (c *Checks) shares(one *Check) bool {
	for _, other := range c.asked {
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
	for i, one := range c.asked {
		if c.refuses[i] {
			continue
		}
		if err := one.decide(now, 0, false); err != nil {
			return err
		}
	}
	return nil
}

// apply applies the decisions. If a rule refuses, only rules that refuse count the request. No rule counts a
// quantity of 0.
func (c *Checks) apply(now, quantity int64, refused, charges bool) {
	for i, one := range c.asked {
		one.apply(now)
		if quantity != 0 && (!refused || c.refuses[i]) {
			one.count(now, quantity, charges, c.refuses[i])
		}
	}
}

// Rules returns the rules that were asked, in their order. It is valid until Done.
func (c *Checks) Rules() []*Check { return c.asked }

// Done ends a request, as [Check.Done] does.
func (c *Checks) Done(goesOn bool) {
	for i := range c.memory {
		c.memory[i].Done(goesOn)
	}
}

// Release is [Check.Release] for all checks.
func (c *Checks) Release() {
	for i := range c.memory {
		c.memory[i].Release()
	}
}
