package list

import (
	"cellserver/store/packed"
	"cellserver/store/value"
)

// List is a list of either form, to be read. The zero List has no elements.
type List struct {
	small *small
	large *large
}

// Of returns the list that a collection is, without elements if it is nil or of another type.
func Of(c value.Collection) (l List) {
	switch c := c.(type) {
	case *small:
		l.small = c
	case *large:
		l.large = c
	}
	return l
}

// Len returns the number of elements.
func (l List) Len() int {
	switch {
	case l.small != nil:
		return l.small.Len()
	case l.large != nil:
		return l.large.Len()
	}
	return 0
}

// Bytes returns how much memory the list takes.
func (l List) Bytes() int64 {
	switch {
	case l.small != nil:
		return l.small.Bytes()
	case l.large != nil:
		return l.large.Bytes()
	}
	return 0
}

// At returns element number i, 0 ≤ i < Len. It is in scratch, for which 20 bytes suffice, or valid until the
// list changes.
func (l List) At(i int, scratch []byte) []byte {
	if l.small != nil {
		return l.small.List.Text(l.small.List.At(i), scratch)
	}
	n := l.large.root
	for n.kids != nil {
		var kid *node
		for _, kid = range n.kids {
			if i < kid.count {
				break
			}
			i -= kid.count
		}
		n = kid
	}
	return n.block.Text(n.offset(i), scratch)
}

// Each calls f for every element until f returns false; see [List.Range].
func (l List) Each(f func(element []byte) bool) { l.Range(0, l.Len(), f) }

// Range calls f for the elements number from, from+1, … to-1, until f returns false, 0 ≤ from ≤ to ≤ Len.
// The bytes are valid until f returns. f must not change the list.
func (l List) Range(from, to int, f func(element []byte) bool) {
	switch {
	case from >= to:
	case l.small != nil:
		eachText(&l.small.List, from, to, f)
	case l.large != nil:
		l.large.root.each(from, to, f)
	}
}

// Find calls f with the numbers of the elements that equal text, until f returns false. It looks at the
// first most elements, or with backward at the last ones, from the last to the first.
func (l List) Find(text []byte, backward bool, most int, f func(i int) bool) {
	var buf [scratchBytes]byte
	s := search{element: packed.AppendElement(buf[:0], text), from: 0, to: min(most, l.Len()), backward: backward, found: f}
	if backward {
		s.from, s.to = l.Len()-s.to, l.Len()
	}
	switch {
	case s.from >= s.to:
	case l.small != nil:
		s.block(&l.small.List, 0)
	case l.large != nil:
		s.node(l.large.root, 0)
	}
}

// Index returns the number of the element of an index, and whether there is one. An index counts from the
// first of n elements, or from behind if it is negative: -1 is the last one.
func Index(i int64, n int) (number int, ok bool) {
	if i < 0 {
		i += int64(n)
	}
	return int(i), 0 <= i && i < int64(n)
}

// Span returns which elements lie from one index to another one: from, from+1, … to-1. If there are none,
// from equals to.
func Span(start, stop int64, n int) (from, to int) {
	if start < 0 {
		start = max(start+int64(n), 0)
	}
	if stop < 0 {
		stop += int64(n)
	}
	if stop = min(stop, int64(n)-1); start > stop {
		return 0, 0
	}
	return int(start), int(stop) + 1
}

// scratchBytes is the room for an element of a usual length.
const scratchBytes = 80
