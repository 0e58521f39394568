package store

import (
	"bytes"
	"math"
	"slices"

	"cellserver/store/table"
)

// candidate is a sampled key that may be evicted.
type candidate struct {
	key       []byte // a copy
	db        int
	partition int
	rank      uint64 // see [evictor.rank]
	throttle  bool   // its integer is a TAT
	tat       int64  // of a throttle key
	access    uint32 // of the cell at the time of the sample
}

// unusedSinceSample reports whether no client has used the key of a cell since the sample. A used key is not
// a candidate any more.
func (c *candidate) unusedSinceSample(cell table.Cell) bool {
	return c.access == cell.Access() && c.throttle == cell.ExpiryIsTAT() && (!c.throttle || c.tat == cell.Int())
}

// poolSize is the largest number of candidates in the pool.
const poolSize = 16

// candidatePool has the sampled keys that may be evicted next.
type candidatePool struct {
	all    []candidate
	policy Policy // by which they are ranked
}

// setPolicy drops the candidates if another policy ranked them.
func (p *candidatePool) setPolicy(policy Policy) {
	if p.policy != policy {
		p.all, p.policy = p.all[:0], policy
	}
}

// takeFirst removes and returns the first candidate to evict. The pool must not be empty.
func (p *candidatePool) takeFirst() candidate {
	i := p.choose(func(a, b uint64) bool { return a > b })
	c := p.all[i]
	p.all = slices.Delete(p.all, i, i+1)
	return c
}

// choose returns the index of the candidate that comes before all others by rank. If that is a
// throttle key, it returns the throttle key that comes before the others by its TAT.
func (p *candidatePool) choose(before func(a, b uint64) bool) int {
	best := 0
	for i := range p.all {
		if before(p.all[i].rank, p.all[best].rank) {
			best = i
		}
	}
	if !p.all[best].throttle {
		return best
	}
	for i := range p.all {
		if c := &p.all[i]; c.throttle && before(fullness(c.tat), fullness(p.all[best].tat)) {
			best = i
		}
	}
	return best
}

// fullness orders throttle keys by their TATs: the smaller TAT leaves more of the quota free.
func fullness(tat int64) uint64 { return math.MaxUint64 - orderedBits(tat) }

// orderedBits maps int64 to uint64 and keeps the order.
func orderedBits(n int64) uint64 { return uint64(n) ^ 1<<63 }

// add puts a candidate into the pool. If the pool is full, it drops the last candidate by rank.
func (p *candidatePool) add(c candidate, key []byte) {
	if slices.ContainsFunc(p.all, func(o candidate) bool { return o.db == c.db && bytes.Equal(o.key, key) }) {
		return
	}
	c.key = bytes.Clone(key)
	p.all = append(p.all, c)
	if len(p.all) > poolSize {
		i := p.choose(func(a, b uint64) bool { return a < b })
		p.all = slices.Delete(p.all, i, i+1)
	}
}
