package store

import "math/bits"

// Footprint is the set of partitions that a transaction locks.
type Footprint [Partitions / 64]uint64

// AddKey adds the partition of a key.
func (f *Footprint) AddKey(key []byte) { f.AddSlot(Slot(key)) }

// AddSlot adds the partition of a slot.
func (f *Footprint) AddSlot(slot uint16) {
	f.add(PartitionOf(slot))
}

func (f *Footprint) add(p int) { f[p/64] |= 1 << (p % 64) }

// AddAll adds every partition, for a command on the whole keyspace.
func (f *Footprint) AddAll() {
	for i := range f {
		f[i] = ^uint64(0)
	}
}

func (f *Footprint) has(p int) bool { return f[p/64]&(1<<(p%64)) != 0 }

// below returns the partitions of the footprint before p.
func (f *Footprint) below(p int) *Footprint {
	below := Footprint{}
	copy(below[:p/64], f[:])
	below[p/64] = f[p/64] & (1<<(p%64) - 1)
	return &below
}

// contains reports whether every partition of another footprint is in f.
func (f *Footprint) contains(other *Footprint) bool {
	for i, w := range other {
		if w&^f[i] != 0 {
			return false
		}
	}
	return true
}

// IsEmpty reports whether there is no partition.
func (f *Footprint) IsEmpty() bool { return *f == Footprint{} }

// each calls do for every partition in ascending order, the order of locking.
func (f *Footprint) each(do func(p int)) {
	for i, w := range f {
		for ; w != 0; w &= w - 1 {
			do(i*64 + bits.TrailingZeros64(w))
		}
	}
}
