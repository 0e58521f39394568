package packed

import (
	"bytes"
	"sort"
)

// Pairs goes over a list whose elements are pairs: a first element, its second one, the next first one, and
// so on. It is valid until the list changes.
type Pairs struct {
	b []byte
	shape
	At    int  // the offset of the pair, [List.End] behind the last one
	alike bool // all pairs have the shape
}

// shape is how the elements of a pair begin, and how long they are. Most pairs have the shape of the pair
// before them, so they need not be measured.
type shape struct {
	first, second byte
	gap, size     int // of the first element, and of both
}

// noTag begins no element.
const noTag = 0xFF

// fits reports whether the pair at an offset has the shape.
func (s shape) fits(b []byte, at int) bool {
	second := at + s.gap
	return second < len(b) && b[at] == s.first && b[second] == s.second
}

// shapeOf returns the shape of the pair at an offset. A pair with a long text fits no shape.
func shapeOf(b []byte, at int) (s shape) {
	b = b[at:]
	s.first, s.gap = b[0], elementSize(b)
	s.second, s.size = b[s.gap], s.gap+elementSize(b[s.gap:])
	if s.first == longText || s.second == longText {
		s.first = noTag
	}
	return s
}

// alikeWith returns the flag alike of the list after a change, which removes a number of elements and adds
// count others. Without the flag a list of pairs is as good, and only slower.
func (l *List) alikeWith(elements []byte, removed, count int) uint32 {
	switch {
	case l.more&alike == 0 || removed%2 != 0 || count%2 != 0:
		return 0
	case count == 0:
		return alike
	}
	b, from := elements, 0
	if l.Len() > removed {
		b, from = l.bytes(), headerBytes
	}
	s := shapeOf(b, from)
	for at := 0; at < len(elements); at += s.size {
		if !s.fits(elements, at) {
			return 0
		}
	}
	return alike
}

// Pairs begins at the pair at an offset, which may be [List.End].
func (l *List) Pairs(at int) (p Pairs) {
	p.b, p.At, p.alike = l.bytes(), at, l.more&alike != 0
	if p.More() {
		p.shape = shapeOf(p.b, at)
	}
	return p
}

// More reports whether there is a pair.
func (p *Pairs) More() bool { return p.At < len(p.b) }

// Next goes to the next pair.
func (p *Pairs) Next() {
	if p.At += p.size; !p.fits(p.b, p.At) && p.More() {
		p.shape = shapeOf(p.b, p.At)
	}
}

// Skip goes over n pairs.
func (p *Pairs) Skip(n int) {
	b, s, at := p.b, p.shape, p.At
	if p.alike {
		at, n = at+n*s.size, 0
	}
	for ; n > 0; n-- {
		if at += s.size; !s.fits(b, at) && at < len(b) {
			s = shapeOf(b, at)
		}
	}
	p.shape, p.At = s, at
}

// SkipBelow goes over the pairs whose numbers are below a bound, and returns how many these are. With orAt,
// those at the bound count, too. The numbers of the list must ascend.
func (p *Pairs) SkipBelow(bound float64, orAt bool) (n int) {
	if !p.alike {
		for ; p.More() && (p.Number() < bound || p.Number() == bound && orAt); n++ {
			p.Next()
		}
		return n
	}
	is := func(i int) bool {
		f := number(p.b[p.At+i*p.size+p.gap:])
		return f < bound || f == bound && orAt
	}
	// As a rule none is below, all are, or a few.
	most := (len(p.b) - p.At) / max(p.size, 1)
	switch {
	case most == 0 || !is(0):
		return 0
	case is(most - 1):
		n = most
	default:
		next := 1
		for n = 1; next < most && is(next); n, next = next+1, 2*next {
		}
		n += sort.Search(min(next, most-1)-n, func(i int) bool { return !is(n + i) })
	}
	p.At += n * p.size
	return n
}

// First returns the byte string that is the first element of the pair. It is in the list, and valid until the
// list changes, or it is what scratch becomes.
func (p *Pairs) First(scratch *[]byte) []byte {
	b := p.b[p.At:]
	if b[0] <= longText {
		return elementText(b, nil)
	}
	*scratch = elementText(b, *scratch)
	return *scratch
}

// Number returns the number that is the second element of the pair, a result of [AppendNumber].
func (p *Pairs) Number() float64 { return number(p.b[p.At+p.gap:]) }

// FindPair returns the offset and the rank of the pair whose first element equals first, a result of
// [AppendElement]. If there is no such pair, it returns those of the last pair, and false.
func (l *List) FindPair(first []byte) (at, rank int, found bool) {
	b, last := l.bytes(), len(first)-1
	if len(b) == headerBytes {
		return headerBytes, 0, false
	}
	// Elements of one list often share their first bytes, rarely their last.
	start, end, s := first[:last], first[last], shapeOf(b, headerBytes)
	if l.more&alike != 0 {
		for at = headerBytes; s.first == first[0] && at < len(b); at += s.size {
			if b[at+last] == end && bytes.Equal(b[at:at+last], start) {
				return at, rank, true
			}
			rank++
		}
		return len(b) - s.size, l.Len()/2 - 1, false
	}
	for at = headerBytes; ; rank++ {
		if b[at] == first[0] && at+last < len(b) && b[at+last] == end && bytes.Equal(b[at:at+last], start) {
			return at, rank, true
		}
		next := at + s.size
		if next == len(b) {
			return at, rank, false
		}
		if at = next; !s.fits(b, at) {
			s = shapeOf(b, at)
		}
	}
}

// Move moves elements, which lie at an offset, to another one. The elements between them move the other way.
func (l *List) Move(from, to int, elements []byte) {
	b, n := l.bytes(), len(elements)
	if to > from {
		copy(b[from:to], b[from+n:to+n])
	} else {
		copy(b[to+n:from+n], b[to:from])
	}
	copy(b[to:], elements)
}
