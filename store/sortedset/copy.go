package sortedset

import (
	"maps"
	"slices"

	"cellserver/store/value"
)

// pathBytes is about how much of a tree a change copies if another tree shares its nodes.
const pathBytes = 4096

// Fork returns a copy that takes all changes from now on; see [value.Collection]. The copy of a
// tree shares its nodes and takes the map. The receiver makes another map when a method needs it.
func (z *Set) Fork() (c value.Collection, copied int64) {
	f := *z
	if z.order != nil {
		f.order, z.scores, z.under = z.order.Copy(), nil, nil
		return &f, pathBytes
	}
	f.small = slices.Clone(z.small)
	return &f, int64(len(z.small)) * smallItemBytes
}

// Clone returns a copy that changes independently. Two trees share their nodes until one of
// them changes.
func (z *Set) Clone() value.Collection {
	c := &Set{small: slices.Clone(z.small), bytes: z.bytes}
	if z.order != nil {
		c.order = z.order.Copy()
		if z.under == nil { // else the copy makes its map when it needs it
			c.scores = maps.Clone(z.scoresOf())
			c.peak = len(c.scores)
		}
	}
	return c
}

// Draft returns a copy that changes independently. It is valid until the receiver changes. A large set takes
// no longer to copy than a small one.
func (z *Set) Draft() *Set {
	if z.order == nil || z.under != nil {
		return z.Clone().(*Set)
	}
	return &Set{order: z.order.Copy(), under: z.scoresOf(), scores: map[string]float64{}, bytes: z.bytes}
}
