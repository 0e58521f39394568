package store

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"cellserver/store/table"
)

const (
	evictBatch = 128 // the most keys that one call of Evict removes
	evictTries = 8   // how often Evict samples again if all candidates were used since
	poolSize   = 16  // the most candidates that are kept between choices
)

// candidate is a sampled key that may be evicted.
type candidate struct {
	key       []byte // a copy
	db        int
	partition int
	rank      uint64 // by the policy: the greatest goes first
	throttle  bool
	// If tat (of a throttle key) or access differs from the cell's, the key was used since it
	// was sampled. Then it is no candidate any more.
	tat    int64
	access uint32
}

func (c *candidate) sameAs(cell table.Cell) bool {
	return c.access == cell.Access() && c.throttle == cell.ExpiryIsTAT() && (!c.throttle || c.tat == cell.Int())
}

// evictor holds what eviction remembers between choices.
type evictor struct {
	mu     sync.Mutex // guards everything below; taken before any partition's lock
	pool   []candidate
	policy Policy // that ranked the pool
	tx     *Tx
	next   int // partition from which to sample next
}

// Evict removes keys, sampled as Redis does, until the store uses at most limit bytes. It removes
// a bounded number of keys in one call. It returns false if the limit is not reached and no more
// key may go; otherwise call it again. now is in Unix nanoseconds; samples is maxmemory-samples.
// The caller must not have an active transaction.
//
// If the chosen candidate is a throttle key, the sampled throttle key with the smallest TAT goes
// instead. It is the nearest to its full quota, so evicting it loses the least.
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

// evictOne removes one key, and reports whether there was any that may go. If all candidates are
// used again as soon as they are sampled, it may remove none.
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

// choose returns the index of the candidate that comes before all others by rank. If that is a
// throttle key, it returns the throttle key that comes before the others by its TAT.
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

// fullness orders throttle keys by their TATs: the smaller TAT leaves more of the quota free.
func fullness(tat int64) uint64 { return math.MaxUint64 - orderedBits(tat) }

// orderedBits maps int64 to uint64 and keeps the order.
func orderedBits(n int64) uint64 { return uint64(n) ^ 1<<63 }

// sample adds candidates from the next partitions on. It reports whether there were any; an
// expired key, which it removes, counts as one.
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

// sampleFrom adds a candidate of each database of a partition.
func (v *evictor) sampleFrom(now int64, partition int) (n int) {
	var fp Footprint
	fp.add(partition)
	v.tx.Begin(now, 0, &fp)
	defer v.tx.End()
	for db := range v.tx.only.tables {
		t := &v.tx.only.tables[db]
		if v.policy.Volatile() && t.Volatile() == 0 {
			continue
		}
		c, key := t.Sample(v.tx, v.policy.Volatile())
		if c == nil {
			continue
		}
		if pinned := v.tx.s.pinned; pinned != nil && pinned(db, key) {
			continue
		}
		n++
		v.add(candidate{
			db: db, partition: partition, rank: v.rank(c),
			throttle: c.ExpiryIsTAT(), tat: c.Int(), access: c.Access(),
		}, key)
	}
	return n
}

// add puts a candidate into the pool. If the pool is full, the last by rank goes.
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
func (v *evictor) rank(c table.Cell) uint64 {
	switch v.policy {
	case AllKeysLRU, VolatileLRU:
		return uint64((uint32(v.tx.now/1e9) - c.Access()) & lruMask)
	case AllKeysLFU, VolatileLFU:
		return math.MaxUint8 - uint64(v.tx.s.freq(c.Access(), v.tx.now))
	case VolatileTTL:
		return math.MaxUint64 - orderedBits(c.ExpireAt())
	}
	return v.tx.Rand()
}

// evict removes a candidate, and reports whether a key went. A key that was used since it was
// sampled stays.
func (v *evictor) evict(now int64, c *candidate) bool {
	var fp Footprint
	fp.add(c.partition)
	v.tx.Begin(now, c.db, &fp)
	defer v.tx.End()
	before := v.tx.Changes()
	e := v.tx.Peek(c.key)
	if !e.Exists() {
		return v.tx.Changes() > before // it had expired
	}
	if !c.sameAs(e.place.Cell()) || v.policy.Volatile() && e.ExpireAt() == NoExpiry {
		return false
	}
	e.Delete()
	v.tx.s.evicted.Add(1)
	return true
}
