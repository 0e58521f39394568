package store

import (
	"math"

	"cellserver/store/table"
)

const (
	evictBatch = 128 // the most keys that one call of Evict removes
	evictTries = 8   // how often Evict samples if clients use all candidates right after each sample
)

// Evict removes keys, sampled as Redis does, until the store uses at most limit bytes. It removes
// a bounded number of keys in one call. It returns false if the limit is not reached and no more
// key may go; otherwise call it again. now is in Unix nanoseconds; samples is maxmemory-samples.
// The caller must not have an active transaction.
//
// Evict does not wait for long transactions ([Tx.BeginLong]). If it finds no key because of them, it
// returns true as well.
//
// If the chosen candidate is a throttle key, the sampled throttle key with the smallest TAT goes
// instead. That key is the nearest to its full quota, so its eviction loses the least.
func (s *Store) Evict(now int64, policy Policy, samples int, limit int64) bool {
	if policy == NoEviction {
		return s.Used() <= limit
	}
	v := &s.evictor
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.tx == nil {
		v.tx = s.NewTx()
	}
	if v.pool.policy != policy {
		v.pool.policy = policy
		v.pool.clear()
	}
	v.missed = false
	for range evictBatch {
		if s.Used() <= limit {
			return true
		}
		if !v.evictOne(now, max(samples, 1)) {
			return s.Used() <= limit || v.missed
		}
	}
	return true
}

// evictOne removes one key. It reports whether there was a key to remove. After [evictTries] samples whose
// keys clients have used since, it removes none.
func (v *evictor) evictOne(now int64, samples int) bool {
	for range evictTries {
		for c := v.pool.take(); c != nil; c = v.pool.take() {
			if v.evict(now, c) {
				return true
			}
		}
		if !v.fill(now, samples) {
			return false
		}
	}
	return true
}

// fill makes the pool hold the best of about `samples` times as many keys, of the next partitions. So one key
// in `samples` is evicted, as in Redis. It reports whether it found a key.
func (v *evictor) fill(now int64, samples int) bool {
	v.pool.clear()
	found, wanted := 0, poolSize*min(samples, mostSamples)
	for n := 0; n < Partitions && found < wanted; n++ {
		v.next = (v.next + 1) % Partitions
		found += v.samplePartition(now, v.next, wanted-found)
	}
	v.pool.order()
	return found > 0
}

const (
	mostSamples   = 1 << 14 // more than all partitions have for one candidate
	sampledTables = 16      // the most databases of a partition from which one call takes candidates
)

// samplePartition offers about `wanted` keys of a partition to the pool, and returns how many. It takes
// equally many of each database. If there are many databases, it takes some of them that follow each
// other, from a random one on.
func (v *evictor) samplePartition(now int64, partition, wanted int) (found int) {
	var fp Footprint
	fp.add(partition)
	if !v.tx.TryBegin(now, 0, &fp) {
		v.missed = true
		return 0
	}
	defer v.tx.End()
	tables, first := v.tx.only.tables, 0
	if len(tables) == 0 || v.fenced() {
		return 0
	}
	if len(tables) > sampledTables {
		first = int(v.tx.Rand() % uint64(len(tables)))
	}
	each, volatile := 1+wanted/min(len(tables), sampledTables), v.pool.policy.Volatile()
	for i, sampled := 0, 0; i < len(tables) && sampled < sampledTables; i++ {
		one := tables[(first+i)%len(tables)]
		if one.DB == Own || volatile && one.Table.Volatile() == 0 {
			continue
		}
		n := one.Table.SampleRun(v.tx, volatile, each, func(c table.Cell) {
			if rank, throttle := v.rank(c), c.ExpiryIsTAT(); throttle || v.pool.ranked.wants(rank) {
				v.pool.offer(candidate{
					db: one.DB, partition: partition, rank: rank,
					throttle: throttle, tat: c.Int(), access: c.Access(),
				}, one.Table.KeyOf(c))
			}
		})
		found += n
		sampled += min(n, 1)
	}
	return found
}

// rank returns the rank of a cell by the policy: the greatest is evicted first.
func (v *evictor) rank(c table.Cell) uint64 {
	switch v.pool.policy {
	case AllKeysLRU, VolatileLRU:
		return uint64(since(c.Access(), uint32(v.tx.now/1e9), lruMask))
	case AllKeysLFU, VolatileLFU:
		return math.MaxUint8 - uint64(v.tx.s.freq(c.Access(), v.tx.now))
	case VolatileTTL:
		return math.MaxUint64 - orderedBits(c.ExpireAt())
	}
	return v.tx.Rand()
}

// evict removes a candidate, and reports whether it removed a key. A key that was used since it was sampled
// stays.
func (v *evictor) evict(now int64, c *candidate) bool {
	var fp Footprint
	fp.add(c.partition)
	if !v.tx.TryBegin(now, c.db, &fp) {
		v.missed = true
		return false
	}
	defer v.tx.End()
	if v.fenced() {
		return false
	}
	before := v.tx.Changes()
	e := v.tx.Peek(c.key)
	if !e.Exists() {
		return v.tx.Changes() > before // it had expired
	}
	if !c.unusedSinceSample(e.place.Cell()) || v.pool.policy.Volatile() && e.ExpireAt() == NoExpiry {
		return false
	}
	e.Delete()
	v.tx.s.evicted.Add(1)
	if v.tx.s.removed != nil {
		v.tx.s.removed(c.db, c.key, true)
	}
	return true
}

// fenced reports whether [Store.FenceEvictions] forbids a change now.
func (v *evictor) fenced() bool { return v.tx.s.mayEvict != nil && !v.tx.s.mayEvict() }
