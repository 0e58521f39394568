package rules

import (
	"fmt"
	"strconv"

	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/store"
)

// Trial says what other numbers would have refused. Both sides begin with nothing used, so they are compared with each other.
type Trial struct {
	Nanos   int64 // the time of the requests, up to now; at most a minute
	Asked   int64 // requests
	Limited int64 // requests that the rule refused, or would have without SHADOW
	Same    int64 // refusals of the limits in force, if nothing was used at the beginning
	Other   int64 // refusals of the limits on trial, if nothing was used at the beginning
}

// Errors of a trial.
var (
	ErrTapes       = rediserr.Error(fmt.Sprintf("ERR somebody already tries limits for %d other rules: try again in two minutes", MaxTapes))
	ErrTrialScopes = rediserr.Error("ERR the limits must have the scopes of the rule, in the same order")
)

// TryFootprint adds the partition that a trial needs. It needs none if the rules are parsed. So a trial keeps nobody waiting.
func (r *Rules) TryFootprint(fp *store.Footprint) {
	if r.parsed.Load() == nil {
		r.Lock(fp)
	}
}

// Try replays the requests of the last minute to a rule with other limits. The first trial of a rule finds none: from then on
// the rule keeps its requests, until nobody has tried numbers for two minutes.
func (r *Rules) Try(tx *store.Tx, name string, words [][]byte, now int64) (Trial, error) {
	present, err := r.known(tx, name)
	if err != nil {
		return Trial{}, err
	}
	other, err := parse(name, words)
	if err == nil {
		err = other.keepOverrides(present)
	}
	if err == nil && !other.hasScopesOf(present) {
		err = ErrTrialScopes
	}
	if err != nil {
		return Trial{}, err
	}
	t, err := r.tapeOf(present.counts, now)
	if err != nil {
		return Trial{}, err
	}
	requests, keys, since := t.read(now)
	result := Trial{Nanos: now - since, Asked: int64(len(requests))}
	for _, one := range requests {
		if one.limited {
			result.Limited++
		}
	}
	r.trying.Lock() // one replay at a time, because it takes a processor and memory
	defer r.trying.Unlock()
	if result.Same, err = present.replay(requests, keys); err == nil {
		result.Other, err = other.replay(requests, keys)
	}
	return result, limiters.Explain(err)
}

// known returns a rule as it was parsed last.
func (r *Rules) known(tx *store.Tx, name string) (*rule, error) {
	stored := r.parsed.Load()
	if stored == nil {
		var fp store.Footprint
		if r.Lock(&fp); !tx.Holds(&fp) {
			return nil, ErrNoRule
		}
		var err error
		if stored, err = r.load(tx); err != nil {
			return nil, err
		}
	}
	one := r.find(stored, []byte(name))
	if one == nil {
		return nil, ErrNoRule
	}
	return one, one.err
}

// tapeOf returns the tape of a rule, and makes one if there is none.
func (r *Rules) tapeOf(of *counts, now int64) (*tape, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tapes := 0
	for _, c := range r.counts {
		if t := c.tape.Load(); t != nil && t.hasEnded(now) {
			c.tape.CompareAndSwap(t, nil)
		} else if t != nil && c != of {
			tapes++
		}
	}
	if t := of.tape.Load(); t != nil {
		return t, nil
	}
	if tapes >= MaxTapes {
		return nil, ErrTapes
	}
	t := newTape(now)
	of.tape.Store(t)
	return t, nil
}

// hasScopesOf reports whether two rules have the same scopes in the same order.
func (r *rule) hasScopesOf(other *rule) bool {
	if len(r.scopes) != len(other.scopes) {
		return false
	}
	for i := range r.scopes {
		if r.scopes[i].name != other.scopes[i].name {
			return false
		}
	}
	return true
}

// replay asks the rule again for requests, in a store of its own, and counts the refusals.
func (r *rule) replay(requests []taped, keys [][]uint64) (refused int64, err error) {
	s := store.New(store.Options{Databases: 1})
	tx := s.NewTx()
	tx.Silent = true
	own := r.ofHashes()
	check := &Check{}
	for i := range requests {
		one := &requests[i]
		if len(keys[i]) != len(own.scopes) {
			continue // the rule had other scopes then
		}
		check.asked, check.Keys, check.found = hashKey(one.asked), check.Keys[:0], own
		var fp store.Footprint
		for _, hash := range keys[i] {
			key := hashKey(hash)
			check.Keys = append(check.Keys, key)
			fp.AddKey(key)
		}
		tx.Begin(one.at, 0, &fp)
		limited, err := check.again(tx, one)
		check.Done(false)
		tx.End()
		if err != nil {
			return 0, err
		}
		if limited {
			refused++
		}
	}
	return refused, nil
}

// again asks the rule as Ask does. It counts nothing.
func (c *Check) again(tx *store.Tx, one *taped) (limited bool, err error) {
	if err = c.find(tx, one.at, false); err == nil {
		err = c.decide(one.at, one.quantity, one.charge)
	}
	if err != nil {
		return false, err
	}
	limited = c.refuses()
	c.apply(one.at)
	return limited, nil
}

// hashKey returns a key for a hash, because a tape has no keys.
func hashKey(hash uint64) []byte { return strconv.AppendUint(nil, hash, 36) }

// ofHashes returns the rule with overrides for keys of hashKey.
func (r *rule) ofHashes() *rule {
	own := r.copy()
	for i := range own.scopes {
		s := &own.scopes[i]
		overrides := s.overrides
		s.overrides = nil
		for key, o := range overrides {
			if s.overrides == nil {
				s.overrides = map[string]*override{}
			}
			s.overrides[string(hashKey(hashOf([]byte(key))))] = o
		}
	}
	return own
}
