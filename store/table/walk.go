package table

import (
	"cmp"
	"slices"
	"unsafe"

	"cellserver/store/memory"
)

// PrefixBits is how many leading bits of a hash a scan uses as its place in hash order.
const PrefixBits = 44

// Each makes p the place of one key after the other, and calls f each time. f must not change
// the table.
func (t *Table) Each(p *Place, f func()) {
	t.segments(func(g *segment) bool {
		for slot, s := range g.index {
			if s > slotTombstone {
				c := g.cell(s & offsetMask)
				key := t.KeyOf(c)
				*p = Place{t: t, g: g, key: key, hash: t.Hash(key), gen: t.gen, off: s & offsetMask, slot: uint32(slot)}
				f()
			}
		}
		return true
	})
}

// Found is a cell that a scan has found.
type Found struct {
	hash uint64
	off  uint32
	slot uint32
}

func (f *Found) prefix() uint64 { return f.hash >> (64 - PrefixBits) }

// Scan is [Table.Each] in the order of the keys' hashes, from a hash prefix of [PrefixBits] on. It
// counts the keys in seen, and stops when seen reaches count; keys of one prefix are never
// separated. It returns the prefix to continue from, and whether there may be more cells. buffer is
// reused between calls.
func (t *Table) Scan(p *Place, buffer *[]Found, from uint64, seen *int, count int, f func()) (next uint64, more bool) {
	if t.dir == nil {
		return 0, false
	}
	for i := t.entryOf(from << (64 - PrefixBits)); i < len(t.dir); {
		g := t.dir[i]
		found, rest := t.collect((*buffer)[:0], g, from, max(count-*seen, 1))
		*buffer = found
		for j := range found {
			c := &found[j]
			if *seen >= count && (j == 0 || c.prefix() != found[j-1].prefix()) {
				return c.prefix(), true
			}
			*seen++
			key := t.KeyOf(g.cell(c.off))
			*p = Place{t: t, g: g, key: key, hash: c.hash, gen: t.gen, off: c.off, slot: c.slot}
			f()
		}
		if rest != 0 {
			return rest, true
		}
		i = i&^(1<<(t.depth-g.depth)-1) + 1<<(t.depth-g.depth)
	}
	return 0, false
}

// collect returns a segment's cells from a hash prefix on, in hash order. It returns all of
// them; or it returns at least need of them, and the prefix of the rest. So a scan in small
// steps does not sort whole segments.
func (t *Table) collect(into []Found, g *segment, from uint64, need int) (found []Found, rest uint64) {
	limit := 2*min(need, segmentMaxSlots) + 64
	g.each(func(slot int, c Cell) bool {
		s := Found{t.Hash(t.KeyOf(c)), g.index[slot] & offsetMask, uint32(slot)}
		if s.prefix() < from || rest != 0 && s.prefix() >= rest {
			return true
		}
		into = append(into, s)
		if len(into) >= limit {
			sortFound(into)
			if end := cutAt(into, need); end < len(into) {
				into, rest = into[:end], into[end-1].prefix()+1
			}
			limit = max(limit, 2*len(into))
		}
		return true
	})
	sortFound(into)
	return into, rest
}

// cutAt returns where sorted cells may be cut after need of them: cells of one prefix stay
// together.
func cutAt(cells []Found, need int) int {
	for need < len(cells) && cells[need].prefix() == cells[need-1].prefix() {
		need++
	}
	return min(need, len(cells))
}

func sortFound(cells []Found) {
	slices.SortFunc(cells, func(a, b Found) int { return cmp.Compare(a.hash, b.hash) })
}

// Random is a source of pseudo-random numbers.
type Random interface{ Rand() uint64 }

// sampleTries is how many random slots Sample tries before it takes the next cell after a random slot.
const sampleTries = 16

// Sample returns a random cell and its key, nil if there is none.
func (t *Table) Sample(r Random) (found Cell, itsKey []byte) {
	if len(t.dir) == 0 {
		return nil, nil
	}
	for range sampleTries {
		n := r.Rand()
		g := t.dir[(n>>32)%uint64(len(t.dir))]
		if slot := int(n) & (len(g.index) - 1); g.index[slot] > slotTombstone {
			return g.cellOf(slot), t.KeyOf(g.cellOf(slot))
		}
	}
	t.SampleRun(r, false, 1, func(c Cell) { found, itsKey = c, t.KeyOf(c) })
	return found, itsKey
}

// SampleRun calls f for up to n cells, and returns for how many. If `volatile` is true, they are
// cells with an expiry. They follow each other in the index from a random slot on. Their ages
// are random, and as many random places would be far slower. It ends after as many slots as a segment may
// have, if it has found a cell.
func (t *Table) SampleRun(r Random, volatile bool, n int, f func(c Cell)) (found int) {
	random := r.Rand()
	for seen, entries := 0, 0; entries < len(t.dir) && found < n && (found == 0 || seen < segmentMaxSlots); {
		at := (int(random>>32) + entries) % len(t.dir)
		g := t.dir[at]
		_, span := t.span(g, 0)
		entries += span - at&(span-1)
		if volatile && g.nextExpiry == NoExpiry {
			continue
		}
		before, index, mask := found, g.index, len(g.index)-1
		for i := 0; i <= mask && found < n; i++ {
			soon := unsafe.Pointer(&g.arena[index[(int(random)+i+samplePrefetch)&mask]&offsetMask])
			memory.Prefetch(soon, soon)
			seen++
			slot := index[(int(random)+i)&mask]
			if slot <= slotTombstone {
				continue
			}
			if c := g.cell(slot & offsetMask); !volatile || c.ExpireAt() != NoExpiry {
				f(c)
				found++
			}
		}
		if found == before {
			g.nextExpiry = NoExpiry // no cell of it expires: the next sample skips it
		}
	}
	return found
}

// samplePrefetch is how many slots early SampleRun prefetches a cell.
const samplePrefetch = 8
