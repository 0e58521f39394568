package rules

import (
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/store"
)

// ErrNoRule is the reply to a request for an unknown rule.
const ErrNoRule rediserr.Error = "ERR no such rule"

// Check is reusable memory for one request to a rule. Each connection keeps one, so that a request
// allocates nothing. A request calls Footprint and then Ask.
type Check struct {
	Args        limiters.Args
	found       *rule // the rule; nil if it is unknown or if looked is false
	looked      bool  // Footprint has searched the parsed rules
	names       []byte
	keys        [MaxLimits][]byte // parts of names: the keys that hold the states of the limits
	limits      []limiters.Asked[limiters.Limit]
	limitMemory [MaxLimits]limiters.Asked[limiters.Limit] // of limits
}

// Footprint adds the partitions that a request to a rule needs beside the partition of key. It adds
// the key of the rules only if the rules are not parsed yet. So requests for different keys do not
// wait for each other. Inside a transaction (queued) it always adds the key of the rules, because
// an earlier command of the transaction may change them.
func (c *Check) Footprint(r *Rules, name, key []byte, queued bool, fp *store.Footprint) {
	c.looked, c.found = false, nil
	if stored := r.stored.Load(); stored != nil && !queued {
		c.looked, c.found = true, r.find(stored, name)
	} else {
		r.Lock(fp)
	}
	if !canBeTag(key) && !hasTag(key) {
		c.addStates(key, fp)
	}
}

// addStates adds the partitions of the states of a rule, for a key that has another slot than its
// states, such as "a}b". If the rule is not known yet, addStates adds every partition.
func (c *Check) addStates(key []byte, fp *store.Footprint) {
	switch {
	case !c.looked:
		fp.AddAll()
	case c.found != nil:
		for i := range c.found.limits {
			fp.AddKey(c.found.limits[i].stateKey(nil, key, false))
		}
	}
}

// Ask decides about a key by a rule. Either all limits allow the quantity and consume it, or all
// limits consume nothing. With CHARGE all limits consume it, whatever is left. The answer is that of the tightest limit. looks is true if the request
// consumes nothing on purpose: PEEK, or a quantity of 0. queued is true inside EXEC. The error is
// [ErrNoRule], an error of the rule, or an error of a limiter.
func (c *Check) Ask(r *Rules, tx *store.Tx, name, key []byte, now int64, queued bool) (a limiters.Answer, looks bool, err error) {
	one, err := c.rule(r, tx, name, queued)
	if err != nil {
		return a, false, err
	}
	c.find(tx, one, key)
	if c.Args.Has(limiters.OptCharge) {
		err = limiters.ChargeAll(c.limits, now, c.Args.Quantity)
	} else {
		_, err = limiters.DecideAll(c.limits, now, c.Args.Quantity)
	}
	if err != nil {
		return a, false, err
	}
	looks = c.Args.Has(limiters.OptPeek)
	if !looks {
		limiters.ApplyAll(c.limits, now)
	}
	a = *c.tightest()
	looks = looks || c.Args.Quantity == 0
	if !looks {
		one.count(a.Limited)
	}
	if one.shadow && a.Limited {
		a.Limited, a.RetryAfter = false, limiters.Never
	}
	return a, looks, nil
}

// rule returns the rule of a name, and its error if its text is wrong.
func (c *Check) rule(r *Rules, tx *store.Tx, name []byte, queued bool) (*rule, error) {
	one := c.found
	if !c.looked || queued {
		stored, err := r.load(tx)
		if err != nil {
			return nil, err
		}
		one = r.find(stored, name)
	}
	if one == nil {
		return nil, ErrNoRule
	}
	return one, one.err
}

// find sets limits to the limits of the rule, with the entries of their states.
func (c *Check) find(tx *store.Tx, r *rule, key []byte) {
	keys, tag := c.keys[:len(r.limits)], canBeTag(key)
	for i := range keys {
		begin := len(c.names)
		c.names = r.limits[i].stateKey(c.names, key, tag)
		keys[i] = c.names[begin:]
	}
	tx.PrefetchAll(keys)
	c.limits = c.limitMemory[:len(keys)]
	for i, key := range keys {
		a := &c.limits[i]
		a.Limiter = r.limits[i].Limit
		a.Limiter.Find(&a.Entry, tx, key)
	}
}

// tightest returns the answer of the tightest limit.
func (c *Check) tightest() *limiters.Answer {
	best := &c.limits[0].Answer
	for i := range c.limits[1:] {
		if a := &c.limits[1+i].Answer; a.Tighter(best) {
			best = a
		}
	}
	return best
}

// keptBytes is the largest capacity in bytes of the names that a Check keeps between requests.
const keptBytes = 4096

// Done ends a request. Inside EXEC it does not reuse the names of the keys, because the effects of
// the transaction refer to them. It leaves that memory to the garbage collector.
func (c *Check) Done(queued bool) {
	c.found = nil
	if c.names = c.names[:0]; queued || cap(c.names) > keptBytes {
		c.names = nil
	}
}

// Release drops the references to the request. A nil Check is allowed.
func (c *Check) Release() {
	if c == nil || c.limits == nil {
		return
	}
	c.limits = nil
	c.Args.Release()
	clear(c.limitMemory[:])
	clear(c.keys[:])
}
