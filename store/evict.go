package store

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Policy says which keys [Store.Evict] may remove, and which of them go first.
type Policy uint8

// The policies of Redis's maxmemory-policy.
const (
	NoEviction Policy = iota
	AllKeysLRU
	AllKeysLFU
	AllKeysRandom
	VolatileLRU
	VolatileLFU
	VolatileRandom
	VolatileTTL
)

var policyNames = [...]string{
	NoEviction: "noeviction",
	AllKeysLRU: "allkeys-lru", AllKeysLFU: "allkeys-lfu", AllKeysRandom: "allkeys-random",
	VolatileLRU: "volatile-lru", VolatileLFU: "volatile-lfu", VolatileRandom: "volatile-random",
	VolatileTTL: "volatile-ttl",
}

// ParsePolicy returns the policy of a maxmemory-policy name, as in redis.conf.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("unknown eviction policy %q", name)
}

// String returns the policy's name in redis.conf.
func (p Policy) String() string { return policyNames[p] }

// Volatile reports whether the policy removes only keys with an expiry.
func (p Policy) Volatile() bool { return p >= VolatileLRU }

// LFU reports whether the policy needs access counters ([Store.UseLFU]).
func (p Policy) LFU() bool { return p == AllKeysLFU || p == VolatileLFU }

const (
	// evictBatch is how many keys one call of Evict removes at most.
	evictBatch = 128
	// evictTries is how often it samples again when all candidates were used since.
	evictTries = 8
	// poolSize is how many sampled keys are kept between choices.
	poolSize = 16
)

// candidate is a sampled key that may be evicted.
type candidate struct {
	key       []byte // a copy
	db        int
	partition int
	rank      uint64 // by the policy: the greatest goes first
	throttle  bool
	tat       int64  // of a throttle key; with access it tells whether the key was
	access    uint32 // used since it was sampled: then it is no candidate any more
}

func (c *candidate) sameAs(cl cell) bool {
	return c.access == cl.access() && c.throttle == cl.has(cellExpiryIsTAT) && (!c.throttle || c.tat == cl.value())
}

// evictor holds what eviction remembers between choices.
type evictor struct {
	mu     sync.Mutex // guards everything below; taken before any partition's lock
	pool   []candidate
	policy Policy // that ranked the pool
	tx     *Tx
	next   int // partition from which to sample next
}

// Evict removes keys, sampled as Redis does, until the store uses at most limit bytes,
// and reports whether it does or, after a bounded number of removals, is on its way:
// false means that nothing may go any more. now is Unix nanoseconds; samples is
// maxmemory-samples. No transaction of the caller may be active.
//
// A throttle key whose turn it is gives way to the sampled throttle key that is nearest
// to its full quota, the one with the smallest TAT: it remembers least.
func (s *Store) Evict(now int64, policy Policy, samples int, limit int64) bool {
	if s.Used() <= limit {
		return true
	}
	if policy == NoEviction {
		return false
	}
	v := &s.evictor
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.tx == nil {
		v.tx = s.NewTx()
	}
	if v.policy != policy {
		v.pool, v.policy = v.pool[:0], policy
	}
	for range evictBatch {
		if s.Used() <= limit {
			return true
		}
		if !v.evictOne(now, max(samples, 1)) {
			return s.Used() <= limit
		}
	}
	return true
}

// evictOne removes one key and reports whether there was any that may go. Keys that are
// used again as soon as they are sampled may keep it from removing one.
func (v *evictor) evictOne(now int64, samples int) bool {
	for range evictTries {
		found := v.sample(now, samples)
		for len(v.pool) > 0 {
			i := v.choose(func(a, b uint64) bool { return a > b })
			c := v.pool[i]
			v.pool = slices.Delete(v.pool, i, i+1)
			if v.evict(now, &c) {
				return true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// choose returns the pool's candidate that comes before all others by rank; if that is
// a throttle key, the throttle key that comes before the others by its TAT.
func (v *evictor) choose(before func(a, b uint64) bool) int {
	best := 0
	for i := range v.pool {
		if before(v.pool[i].rank, v.pool[best].rank) {
			best = i
		}
	}
	if !v.pool[best].throttle {
		return best
	}
	for i := range v.pool {
		if c := &v.pool[i]; c.throttle && before(fullness(c.tat), fullness(v.pool[best].tat)) {
			best = i
		}
	}
	return best
}

// fullness orders TATs: the smaller one leaves more of its quota free.
func fullness(tat int64) uint64 { return math.MaxUint64 - orderedBits(tat) }

// orderedBits maps int64 to uint64 in the same order.
func orderedBits(n int64) uint64 { return uint64(n) ^ 1<<63 }

// sample adds candidates from the next partitions on, and reports whether there were
// any, or a key whose time was over, which it removes.
func (v *evictor) sample(now int64, samples int) (found bool) {
	for n := 0; n < Partitions && samples > 0; n++ {
		v.next = (v.next + 1) % Partitions
		if v.tx.s.partitions[v.next].empty() {
			continue
		}
		got := v.sampleFrom(now, v.next)
		samples -= got
		found = found || got > 0
	}
	return found
}

// empty reports whether the partition holds no key. It takes no lock.
func (p *partition) empty() bool {
	for db := range p.tables {
		if p.tables[db].count.Load() > 0 {
			return false
		}
	}
	return true
}

// sampleFrom adds a candidate of each database of a partition.
func (v *evictor) sampleFrom(now int64, partition int) (n int) {
	var fp Footprint
	fp.add(partition)
	v.tx.Begin(now, 0, &fp)
	defer v.tx.End()
	for db := range v.tx.only.tables {
		t := &v.tx.only.tables[db]
		if v.policy.Volatile() && t.expire.Load() == 0 {
			continue
		}
		g, slot := t.sample(v.tx, v.policy.Volatile())
		if g == nil {
			continue
		}
		c := g.cell(g.index[slot] & offsetMask)
		if pinned := v.tx.s.pinned; pinned != nil && pinned(db, t.keyOf(c)) {
			continue
		}
		n++
		v.add(candidate{
			db: db, partition: partition, rank: v.rank(c),
			throttle: c.has(cellExpiryIsTAT), tat: c.value(), access: c.access(),
		}, t.keyOf(c))
	}
	return n
}

// add puts a candidate into the pool, which keeps the best.
func (v *evictor) add(c candidate, key []byte) {
	if slices.ContainsFunc(v.pool, func(o candidate) bool { return o.db == c.db && bytes.Equal(o.key, key) }) {
		return
	}
	c.key = bytes.Clone(key)
	v.pool = append(v.pool, c)
	if len(v.pool) > poolSize {
		i := v.choose(func(a, b uint64) bool { return a < b })
		v.pool = slices.Delete(v.pool, i, i+1)
	}
}

// rank orders cells by the policy.
func (v *evictor) rank(c cell) uint64 {
	switch v.policy {
	case AllKeysLRU, VolatileLRU:
		return uint64((uint32(v.tx.now/1e9) - c.access()) & lruMask)
	case AllKeysLFU, VolatileLFU:
		return math.MaxUint8 - uint64(v.tx.s.freq(c.access(), v.tx.now))
	case VolatileTTL:
		return math.MaxUint64 - orderedBits(c.expireAt())
	}
	return v.tx.Rand()
}

// evict removes a candidate and reports whether a key went. One that was used since it
// was sampled stays.
func (v *evictor) evict(now int64, c *candidate) bool {
	var fp Footprint
	fp.add(c.partition)
	v.tx.Begin(now, c.db, &fp)
	defer v.tx.End()
	before := v.tx.Changes()
	e := v.tx.Peek(c.key)
	if e.off == 0 {
		return v.tx.Changes() > before // its time was over
	}
	cl := e.cell()
	if !c.sameAs(cl) || v.policy.Volatile() && cl.expireAt() == NoExpiry {
		return false
	}
	e.Delete()
	v.tx.s.evicted.Add(1)
	return true
}

// sample returns a random cell, with an expiry if it shall be volatile; nil when there
// is none.
func (t *table) sample(tx *Tx, volatile bool) (*segment, int) {
	fits := func(g *segment, slot int) bool {
		s := g.index[slot]
		return s > slotTombstone && !(volatile && g.cell(s&offsetMask).expireAt() == NoExpiry)
	}
	if len(t.dir) == 0 {
		return nil, 0
	}
	for range 16 {
		r := tx.Rand()
		g := t.dir[(r>>32)%uint64(len(t.dir))]
		if slot := int(r) & (len(g.index) - 1); fits(g, slot) {
			return g, slot
		}
	}
	return t.sampleFrom(int(tx.Rand()%uint64(len(t.dir))), volatile, fits)
}

// sampleFrom returns the first fitting cell from the i-th segment on.
func (t *table) sampleFrom(i int, volatile bool, fits func(g *segment, slot int) bool) (*segment, int) {
	for n := 0; n < len(t.dir); {
		g := t.dir[(i+n)%len(t.dir)]
		if !volatile || g.nextExpiry != NoExpiry {
			for slot := range g.index {
				if fits(g, slot) {
					return g, slot
				}
			}
			g.nextExpiry = NoExpiry // nothing here expires, so it is not looked through again
		}
		_, span := t.span(g, 0)
		n += span - (i+n)&(span-1)
	}
	return nil, 0
}
