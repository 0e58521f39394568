package store

import (
	"cmp"
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

// orderedBits maps int64 to uint64 and keeps the order.
func orderedBits(n int64) uint64 { return uint64(n) ^ 1<<63 }

const (
	poolSize = 16      // the largest number of candidates in the pool
	keptKey  = 4 << 10 // the most bytes of a key whose room the next candidate takes over
)

// best are the candidates of the greatest ranks among those that were offered.
type best struct {
	all   []candidate
	least int // index of the least rank, if there are poolSize candidates
}

// wants reports whether [best.offer] would take a candidate of that rank.
func (b *best) wants(rank uint64) bool { return len(b.all) < poolSize || rank > b.all[b.least].rank }

// offer adds a candidate, or lets it take the place of the least one, if its rank is greater.
func (b *best) offer(c candidate, key []byte) {
	at := len(b.all)
	switch {
	case !b.wants(c.rank):
		return
	case at == poolSize:
		at = b.least
	case at < cap(b.all):
		b.all = b.all[:at+1]
	default:
		b.all = append(b.all, candidate{})
	}
	room := b.all[at].key[:0]
	if cap(room) > keptKey {
		room = nil
	}
	c.key = append(room, key...)
	b.all[at] = c
	if len(b.all) < poolSize {
		return
	}
	for i := range b.all {
		if b.all[i].rank < b.all[b.least].rank {
			b.least = i
		}
	}
}

// candidatePool has the sampled keys that may be evicted next. It is filled when it is empty.
type candidatePool struct {
	policy Policy // by which they are ranked
	next   int    // index of the next candidate in ranked
	ranked best   // by the policy
	tats   best   // throttle keys, the smallest TAT first
}

// take returns the next candidate to evict, nil if there is none. It is valid until the next call of clear.
func (p *candidatePool) take() *candidate {
	if p.next == len(p.ranked.all) {
		return nil
	}
	p.next++
	return &p.ranked.all[p.next-1]
}

// clear begins a new sample.
func (p *candidatePool) clear() {
	p.next = 0
	for _, b := range []*best{&p.ranked, &p.tats} {
		b.all, b.least = b.all[:0], 0
	}
}

// offer adds a key to the sample.
func (p *candidatePool) offer(c candidate, key []byte) {
	p.ranked.offer(c, key)
	if c.throttle {
		c.rank = math.MaxUint64 - orderedBits(c.tat) // the smaller TAT leaves more of the quota free
		p.tats.offer(c, key)
	}
}

// order ends the sample. Where a throttle key stands, it puts the one with the smallest TAT that is left.
func (p *candidatePool) order() {
	for _, b := range []*best{&p.ranked, &p.tats} {
		slices.SortFunc(b.all, func(x, y candidate) int { return cmp.Compare(y.rank, x.rank) })
	}
	n := 0
	for i := range p.ranked.all {
		if c := &p.ranked.all[i]; c.throttle {
			*c, p.tats.all[n] = p.tats.all[n], *c
			n++
		}
	}
}
