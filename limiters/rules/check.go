package rules

import (
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/store"
)

// ErrNoRule is the reply to a request for an unknown rule.
const ErrNoRule rediserr.Error = "ERR no such rule"

// Check is reusable memory for one request to a rule. Each connection keeps one, so that a request
// allocates nothing. A request calls Footprint, Begin and then Ask.
type Check struct {
	Args        limiters.Args
	Keys        [][]byte        // one for each scope of the rule
	found       *rule           // the rule; nil if it is unknown or if looked is false
	looked      bool            // Footprint has searched the parsed rules
	tags        [MaxLimits]bool // whether each key can be a hash tag; valid if looked is true
	names       []byte
	keys        [MaxLimits][]byte // parts of names: the keys that hold the states of the limits
	chosen      [MaxLimits]chosen // where the limits come from
	limits      []limiters.Asked[limiters.Limit]
	limitMemory [MaxLimits]limiters.Asked[limiters.Limit] // of limits
}

// chosen is a limit that decides, and the position of its scope.
type chosen struct {
	limit *limit
	scope int
}

// Footprint adds the partitions that a request to a rule needs beside the partition of its first
// key. words are the words of the request from the name of the rule on. It adds the key of the
// rules only if the rules are not parsed yet. So requests for different keys do not wait for each
// other. Inside a transaction (queued) it always adds the key of the rules, because an earlier
// command of the transaction may change them.
func (c *Check) Footprint(r *Rules, words [][]byte, queued bool, fp *store.Footprint) {
	c.looked, c.found = false, nil
	if stored := r.stored.Load(); stored != nil && !queued {
		c.looked, c.found = true, r.find(stored, words[0])
		if c.found != nil {
			c.addKeys(words[1:], fp)
		}
		return
	}
	r.Lock(fp)
	for _, w := range words[1:] { // each of them may be a key
		if fp.AddKey(w); !sharesSlot(w) {
			fp.AddAll()
			return
		}
	}
}

// addKeys adds the partitions of the states of a rule. The states of most keys have the slot of
// their key.
func (c *Check) addKeys(words [][]byte, fp *store.Footprint) {
	r := c.found
	for i := range min(len(words), len(r.scopes)) {
		key := words[i]
		c.tags[i] = canBeTag(key)
		if c.tags[i] || hasTag(key) {
			if i > 0 {
				fp.AddKey(key)
			}
			continue
		}
		for j := range r.scopes[i].limits {
			fp.AddKey(r.scopes[i].limits[j].stateKey(nil, key, false))
		}
	}
}

// Begin finds the rule and parses the words of a request from the name of the rule on. own are the
// options of the command. queued is true inside EXEC. The error is an error of the words,
// [ErrNoRule], or an error of the rule.
func (c *Check) Begin(r *Rules, tx *store.Tx, command string, words [][]byte, own limiters.Option, queued bool) error {
	one, err := c.rule(r, tx, words[0], queued)
	n := 1
	if one != nil && err == nil {
		n = len(one.scopes)
	}
	if len(words) < 1+n {
		return rediserr.WrongArity(command)
	}
	c.Keys = words[1 : 1+n]
	c.Args.Begin(command, words[1+n:])
	if err := c.Args.Finish(own); err != nil {
		return err
	}
	c.found = one
	return err
}

// Ask decides about the keys by the rule. Either all limits allow the quantity and consume it, or all
// limits consume nothing. With CHARGE all limits consume it, whatever is left. Ask sets a to the answer of
// the tightest limit. looks is true if the request consumes nothing on purpose: PEEK, or a quantity
// of 0. The error is an error of a limiter.
func (c *Check) Ask(tx *store.Tx, now int64, a *limiters.Answer) (looks bool, err error) {
	one := c.found
	c.find(tx, one)
	if c.Args.Has(limiters.OptCharge) {
		err = limiters.ChargeAll(c.limits, now, c.Args.Quantity)
	} else {
		_, err = limiters.DecideAll(c.limits, now, c.Args.Quantity)
	}
	if err != nil {
		return false, err
	}
	looks = c.Args.Has(limiters.OptPeek)
	if !looks {
		limiters.ApplyAll(c.limits, now)
	}
	*a = c.limits[c.tightest()].Answer
	looks = looks || c.Args.Quantity == 0
	if !looks {
		one.count(a.Limited)
	}
	if one.shadow && a.Limited {
		a.Limited, a.RetryAfter = false, limiters.Never
	}
	return looks, nil
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
func (c *Check) find(tx *store.Tx, r *rule) {
	n, names := 0, c.names
	for i := range r.scopes {
		s, key := &r.scopes[i], c.Keys[i]
		tag := c.looked && c.tags[i] || !c.looked && canBeTag(key)
		for j := range s.limits {
			begin := len(names)
			names = s.limits[j].stateKey(names, key, tag)
			c.keys[n] = names[begin:]
			c.chosen[n] = chosen{&s.limits[j], i}
			n++
		}
	}
	c.names = names
	keys := c.keys[:n]
	tx.PrefetchAll(keys)
	c.limits = c.limitMemory[:n]
	for i, key := range keys {
		a := &c.limits[i]
		a.Limiter = c.chosen[i].limit.Limit
		a.Limiter.Find(&a.Entry, tx, key)
	}
}

// tightest returns the index of the tightest limit.
func (c *Check) tightest() (best int) {
	for i := range c.limits[1:] {
		if c.limits[1+i].Answer.Tighter(&c.limits[best].Answer) {
			best = 1 + i
		}
	}
	return best
}

// TightestKey returns the key of the tightest limit.
func (c *Check) TightestKey() []byte { return c.Keys[c.chosen[c.tightest()].scope] }

// Explained is one limit of the rule, with its own answer.
type Explained struct {
	Scope, Limit string
	Answer       *limiters.Answer
}

// Explain returns every limit of the rule, and the index of the tightest limit.
func (c *Check) Explain() (all []Explained, tightest int) {
	for i := range c.limits {
		from := &c.chosen[i]
		all = append(all, Explained{c.found.scopes[from.scope].name, from.limit.text, &c.limits[i].Answer})
	}
	return all, c.tightest()
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
	c.limits, c.Keys = nil, nil
	c.Args.Release()
	clear(c.limitMemory[:])
	clear(c.keys[:])
	clear(c.chosen[:])
}
