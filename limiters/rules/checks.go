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

// asking is the part of a [Question] that finds its rules.
type asking struct {
	memory  []Check  // one for each pair
	asked   []*Check // the rules of the question, up to the first wrong pair
	wrong   error    // of that pair; nil for none
	planned bool     // Footprint has found the rules
}

// Footprint adds the partitions that the question needs, as [Check.Footprint] does.
func (q *Question) Footprint(r *ruleset.Rules, queued bool, fp *store.Footprint) {
	from := r.Sources() // all pairs see the same rules
	if q.planned = from.Parsed() && !queued; !q.planned {
		for at := 1; at < len(q.Pairs); at += 2 {
			lockRules(r, q.Pairs[at:at+1], fp)
		}
		return
	}
	q.plan(from)
	for _, one := range q.asked {
		one.footprint(one.Keys, fp)
	}
	if q.wrong != nil {
		fp.AddKey(q.Pairs[1]) // a call without partitions would have no transaction
	}
}

// plan finds the rules of the pairs, and plans what they read, up to the first wrong pair.
func (q *Question) plan(from ruleset.Sources) {
	if n := len(q.Pairs) / 2; n > len(q.memory) {
		q.memory = append(q.memory, make([]Check, n-len(q.memory))...)
	}
	q.asked, q.wrong = q.asked[:0], nil
	for at := 0; at < len(q.Pairs) && q.wrong == nil; {
		one := &q.memory[at/2]
		one.plan, one.looked = &one.own, true
		one.asked, _ = ruleset.CutScopes(q.Pairs[at])
		one.found = from.Decides(one.asked)
		if at, q.wrong = one.takePairs(q.Pairs, at); q.wrong == nil {
			one.make(one.found, one.asked, one.Keys)
			q.asked = append(q.asked, one)
		}
	}
}

// Ask decides, and counts. In EXEC it reads the rules from their key (queued).
func (q *Question) Ask(r *ruleset.Rules, tx *store.Tx, now int64, queued bool) error {
	if !q.planned || queued {
		q.plan(r.Load(tx))
	}
	q.planned, q.Refusing = false, -1
	for i, one := range q.asked {
		if err := one.find(tx, now, false); err != nil {
			return err
		}
		if i > 0 && q.shares(one, i) {
			return ErrSamePair
		}
	}
	if q.wrong != nil {
		return q.wrong
	}
	for i, one := range q.asked {
		if err := one.decide(now, q.Quantity, q.Charge); err != nil {
			return err
		}
		if one.refused && q.Refusing < 0 && !one.Shadow() {
			q.Refusing = i
		}
	}
	refused := q.Refusing >= 0 && !q.Charge
	if refused && len(q.asked) > 1 {
		if err := q.decideAgain(now); err != nil {
			return err
		}
	}
	for _, one := range q.asked {
		one.end(now, q.Peek)
		if !q.Looks() && (!refused || one.refused) {
			decided := ruleset.Recorded{At: now, Quantity: q.Quantity, Charge: q.Charge, Limited: one.refused}
			one.found.Count(decided, one.asked, one.Keys)
		}
	}
	return nil
}

// shares reports whether a rule before the place of `one` was asked under the same name and with an equal key
// in the same scope.
func (q *Question) shares(one *Check, place int) bool {
	for _, other := range q.asked[:place] {
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
func (q *Question) decideAgain(now int64) error {
	for _, one := range q.asked {
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
