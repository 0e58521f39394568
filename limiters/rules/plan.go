package rules

import "cellserver/store"

// plan says which keys a request reads: those of the states that its rule has for the keys of the request. It follows from
// the words of the request and from the rules alone. So it may be made before the request runs.
type plan struct {
	asked  []byte                         // the name in the request: that of the rule, or another one if the rule is [Default]
	found  *rule                          // the rule that decides; nil if it is unknown
	scopes int                            // scopes of the rule; fewer if the request has fewer words
	states int                            // states of the rule's limits
	all    int                            // of keys: the states, and the bucket of reservations if it is named
	hashed int                            // of keys: how many have their hashes
	slots  [MaxLimits]keySlot             // of the keys of the request
	chosen [MaxLimits]chosen              // where the limits come from
	keys   [MaxLimits + 1]store.HashedKey // parts of names: the keys of the limits' states and of the reservations
	names  []byte
	warm   warmth

	words int     // of the request; only of a prefetched plan
	from  sources // of the rule; only of a prefetched plan
}

// warmth says what was prefetched of the keys of a plan.
type warmth uint8

const (
	cold      warmth = iota // nothing
	indexWarm               // the index
	cellsWarm               // the cells, too
)

// keySlot says which slots the states of a key have.
type keySlot struct {
	braces
	slot uint16 // of the key
}

// make plans a request. keys are its words from the first key on: a key for each scope of the rule, and then other words.
func (p *plan) make(found *rule, asked []byte, keys [][]byte) {
	p.asked, p.found, p.hashed, p.warm = asked, found, 0, cold
	names, n, own := p.names[:0], 0, string(asked) == found.name
	p.scopes = min(len(found.scopes), len(keys))
	for i := range p.scopes {
		key, at := keys[i], &p.slots[i]
		at.find(key)
		limits := found.scopes[i].limitsOf(key)
		for j := range limits {
			begin, l := len(names), &limits[j]
			if own && at.braces == noBraces {
				names = l.ownKey(names, key)
			} else {
				names = l.stateKey(names, asked, key, at.braces)
			}
			p.keys[n] = at.key(names[begin:])
			p.chosen[n] = chosen{l, i}
			n++
		}
	}
	p.names, p.states, p.all = names, n, n
}

// nameBucket names the bucket that the reservations of the last key share, after the keys of the states. It has the slot of that key.
func (p *plan) nameBucket(keys [][]byte) {
	last := len(keys) - 1
	begin, at := len(p.names), &p.slots[last]
	if names := &p.found.reserved; at.braces == noBraces && string(p.asked) == p.found.name {
		p.names = names.ownKey(p.names, keys[last])
	} else {
		p.names = names.stateKey(p.names, p.asked, keys[last], at.braces)
	}
	p.keys[p.states] = at.key(p.names[begin:])
	p.all = p.states + 1
}

// find sets the slot of a key.
func (at *keySlot) find(key []byte) {
	if slot, plain := store.PlainSlot(key); plain {
		at.braces, at.slot = noBraces, slot
		return
	}
	at.braces, at.slot = bracesOf(key), store.Slot(key)
}

// key returns a name with its slot. The name begins with the key, or has it as its hash tag.
func (at *keySlot) key(name []byte) store.HashedKey {
	slot := at.slot
	if at.braces == otherBraces {
		slot = store.Slot(name)
	}
	return store.UnhashedKey(name, slot)
}

// footprint adds the partitions of the request's keys, and of their states.
func (p *plan) footprint(keys [][]byte, fp *store.Footprint) {
	for i := range p.scopes {
		if fp.AddSlot(p.slots[i].slot); p.slots[i].braces == otherBraces {
			p.addStates(&p.found.scopes[i], keys[i], fp)
		}
	}
}

// addStates adds the partitions of all states of a key in a scope. Each of them may have another slot.
func (p *plan) addStates(s *scope, key []byte, fp *store.Footprint) {
	limits := s.limitsOf(key)
	for j := range limits {
		fp.AddKey(limits[j].stateKey(nil, p.asked, key, otherBraces))
	}
	fp.AddKey(s.releases.stateKey(nil, p.asked, key, otherBraces))
}

// prepare hashes and prefetches the keys for the running transaction. Without it, the look-ups of several keys would wait for
// memory one after the other.
func (p *plan) prepare(tx *store.Tx) {
	keys := p.keys[:p.all]
	if len(keys) > 1 && p.warm == cold {
		tx.PrefetchKeys(tx.DB(), keys)
	} else if p.hashed < len(keys) {
		tx.HashKeys(keys[p.hashed:])
	}
	if len(keys) > 1 && p.warm != cellsWarm {
		tx.PrefetchCells(tx.DB(), keys)
	}
}

// done ends a request. See [Check.Done].
func (p *plan) done(goesOn bool) {
	p.found = nil
	if p.names = p.names[:0]; goesOn {
		p.names = nil
	}
}

// keptBytes is the largest capacity in bytes of the names that a plan keeps between batches.
const keptBytes = 4096

// release drops the references to the request.
func (p *plan) release() {
	if p.asked == nil {
		return
	}
	if cap(p.names) > keptBytes {
		p.names = nil
	}
	p.asked, p.found, p.from, p.states, p.all, p.hashed = nil, nil, sources{}, 0, 0, 0
	clear(p.keys[:])
	clear(p.chosen[:])
}

// prefetched has the plans of the next requests of a pipeline, in their order.
//
// It exists for speed alone.
//
// What it is: while a request runs, the processor loads the states of the next ones into its cache. A pipeline looks its
// rule up once.
//
// What it brings: with a million keys, a CL.CHECK in a pipeline takes 0.93 µs instead of 1.27 µs. To compare, set manyKeys to
// that number, and let Check.Prefetch return at once:
//
//	go test -run '^$' -bench ManyKeys/rule -cpu 1 ./server
//
// What it must never do: decide anything. A plan serves only the request that it was made for, and only while the rules are
// the same.
type prefetched struct {
	plans      [4]plan // from first up to end, each modulo 4
	first, end uint

	from sources // where the last rule was found
	name []byte  // by which it was found
	rule *rule
}

// Prefetch plans a later request of the batch, and prefetches the states that it reads. words are the words of the request from
// the name of the rule on. They must not change before Release.
func (c *Check) Prefetch(r *Rules, tx *store.Tx, db int, words [][]byte) {
	c.prefetch(r, tx, db, words, false)
}

// PrefetchReserve is [Check.Prefetch] for a request that reserves or settles.
func (c *Check) PrefetchReserve(r *Rules, tx *store.Tx, db int, words [][]byte) {
	c.prefetch(r, tx, db, words, true)
}

// prefetch is PrefetchReserve if reserves is set, else Prefetch.
func (c *Check) prefetch(r *Rules, tx *store.Tx, db int, words [][]byte, reserves bool) {
	from := r.sources()
	if from.stored == nil {
		return
	}
	if c.prefetched == nil {
		c.prefetched = new(prefetched)
	}
	found := c.prefetched.find(r, from, words[0])
	if found == nil || found.err != nil {
		return
	}
	before, p := c.prefetched.add()
	p.make(found, words[0], words[1:])
	if reserves && p.scopes == len(found.scopes) {
		p.nameBucket(words[1 : 1+p.scopes])
	}
	p.words, p.from, p.warm, p.hashed = len(words), from, indexWarm, p.all
	keys := p.keys[:p.all]
	tx.PrefetchKeys(db, keys)
	if before != nil {
		tx.PrefetchCells(db, before.keys[:before.all])
		before.warm = cellsWarm
	}
}

// find returns the rule of a name. Most requests of a pipeline ask the same rule.
func (a *prefetched) find(r *Rules, from sources, name []byte) *rule {
	if from != a.from || string(name) != string(a.name) {
		a.from, a.name, a.rule = from, name, from.decides(name)
	}
	return a.rule
}

// add puts a plan at the end. It returns this plan and the plan before it, which is nil for the first plan.
func (a *prefetched) add() (before, added *plan) {
	n := uint(len(a.plans))
	if a.end-a.first == n {
		a.first++
	}
	if a.first != a.end {
		before = &a.plans[(a.end-1)%n]
	}
	added = &a.plans[a.end%n]
	a.end++
	return before, added
}

// take returns the plan of a request, and drops it and all plans before it. It returns nil if there is no such plan, or if the rules
// have changed. The place in the buffer identifies a request. a may be nil.
func (a *prefetched) take(from sources, words [][]byte) *plan {
	if a == nil {
		return nil
	}
	for i := a.first; i != a.end; i++ {
		p := &a.plans[i%uint(len(a.plans))]
		if p.words == len(words) && sameBytes(p.asked, words[0]) {
			a.first = i + 1
			if p.from == from {
				return p
			}
		}
	}
	return nil
}

// sameBytes reports whether two names lie at the same place of the same buffer.
func sameBytes(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// release drops the references to the batch. A nil prefetched is allowed.
func (a *prefetched) release() {
	if a == nil {
		return
	}
	for i := range min(a.end, uint(len(a.plans))) {
		a.plans[i].release()
	}
	a.first, a.end, a.from, a.name, a.rule = 0, 0, sources{}, nil, nil
}
