package rules

import (
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// Default is the name of the rule that decides for each name without a rule of its own.
const Default = ruleset.Default

// plan says which keys a request reads: those of the states that its rule has for the keys of the request. It
// follows from the words of the request and from the rules alone. So it may be made before the request runs.
type plan struct {
	asked  []byte                     // the name in the request; [Default] has many
	found  *ruleset.Rule              // the rule that decides; nil if it is unknown
	scopes int                        // scopes of the rule; fewer if the request has fewer words
	states int                        // states of the rule's limits
	all    int                        // of keys: the states, and the bucket of reservations if it is named
	slots  [ruleset.MaxLimits]keySlot // of the keys of the request
	chosen [ruleset.MaxLimits]chosen  // where the limits come from
	names  []byte
	warm   warmth
	// keys are parts of names: the keys of the limits' states and of the reservations.
	keys [ruleset.MaxLimits + 1]store.HashedKey

	prefetchedOnly
}

// prefetchedOnly is what only a prefetched plan has.
type prefetchedOnly struct {
	from      ruleset.Sources           // of the rule
	scopeKeys [ruleset.MaxLimits][]byte // the keys of the request if it reserves or settles
	named     int                       // length of the names in keys; the next request keeps them
}

// chosen is a limit that decides.
type chosen struct {
	limit *ruleset.Limit
	scope int  // its position
	alone bool // the scope has no other limit for the key
	own   bool // the key has limits of its own
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
	ruleset.Braces
	slot uint16 // of the key
}

// make plans a request. keys are its words from the first key on: a key for each scope of the rule, and then
// other words.
func (p *plan) make(found *ruleset.Rule, asked []byte, keys [][]byte) {
	p.asked, p.found, p.warm = asked, found, cold
	names, n := p.names[:0], 0
	p.scopes = min(len(found.Scopes), len(keys))
	for i := range p.scopes {
		key, at := keys[i], &p.slots[i]
		at.find(key)
		limits, overridden := found.Scopes[i].LimitsOf(key)
		for j := range limits {
			begin, l := len(names), &limits[j]
			names = l.StateKey(names, asked, key, at.Braces)
			p.keys[n] = at.key(names[begin:])
			p.chosen[n] = chosen{l, i, len(limits) == 1, overridden}
			n++
		}
	}
	p.names, p.states, p.all = names, n, n
}

// nameBucket names the bucket that the reservations of the last key share, after the keys of the states. It
// has the slot of that key.
func (p *plan) nameBucket(keys [][]byte) {
	last := len(keys) - 1
	begin, at := len(p.names), &p.slots[last]
	p.names = ruleset.Reserved.StateKey(p.names, p.asked, keys[last], at.Braces)
	p.keys[p.states] = at.key(p.names[begin:])
	p.all = p.states + 1
}

// find sets the slot of a key.
func (at *keySlot) find(key []byte) {
	if slot, plain := store.PlainSlot(key); plain {
		at.Braces, at.slot = ruleset.NoBraces, slot
		return
	}
	at.Braces, at.slot = ruleset.BracesOf(key), store.Slot(key)
}

// key returns a name with its slot. The name begins with the key, or has it as its hash tag.
func (at *keySlot) key(name []byte) store.HashedKey {
	if at.Braces == ruleset.OtherBraces {
		return store.UnhashedKey(name, store.Slot(name))
	}
	return store.UnhashedKey(name, at.slot)
}

// footprint adds the partitions of the request's keys, and of their states.
func (p *plan) footprint(keys [][]byte, fp *store.Footprint) {
	for i := range p.scopes {
		if fp.AddSlot(p.slots[i].slot); p.slots[i].Braces == ruleset.OtherBraces {
			p.addStates(&p.found.Scopes[i], keys[i], fp)
		}
	}
}

// addStates adds the partitions of all states of a key in a scope. Each of them may have another slot.
func (p *plan) addStates(s *ruleset.Scope, key []byte, fp *store.Footprint) {
	limits, _ := s.LimitsOf(key)
	for j := range limits {
		fp.AddKey(limits[j].StateKey(nil, p.asked, key, ruleset.OtherBraces))
	}
	fp.AddKey(s.Releases.StateKey(nil, p.asked, key, ruleset.OtherBraces))
	fp.AddKey(s.Reset.StateKey(nil, p.asked, key, ruleset.OtherBraces))
}

// prefetch prefetches the keys for the running transaction, unless that has happened. Without it, the look-ups
// of several keys would wait for memory one after the other.
func (p *plan) prefetch(tx *store.Tx) {
	keys := p.keys[:p.all]
	if p.warm == cold {
		tx.PrefetchKeys(tx.DB(), keys)
	}
	if p.warm != cellsWarm {
		tx.PrefetchCells(tx.DB(), keys)
	}
}

// done ends a request. See [Check.Done].
func (p *plan) done(goesOn bool) {
	if goesOn {
		p.names, p.named = nil, 0
	}
	p.names = p.names[:p.named]
}

// keptBytes is the largest capacity in bytes of the names that a plan keeps between batches.
const keptBytes = 4096

// release drops the references to the request. The keys may refer to names that [plan.done] has given up.
func (p *plan) release() {
	if cap(p.names) > keptBytes {
		p.names = nil
	}
	*p = plan{names: p.names[:0]}
}
