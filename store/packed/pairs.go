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

// shape is how long the elements of a pair are. Most second elements begin as the one before them does, and
// then are as long. So the offset of the next pair depends on one byte only.
type shape struct {
	tag        byte // the first byte of the second element; noTag if an element is a long text
	gap, after int  // sizes of the first element, and of the second one
}

// noTag begins no element.
const noTag = 0xFF

// fit returns the shape with the gap of the pair at an offset, and whether that is the shape of the pair.
func (s shape) fit(b []byte, at int) (shape, bool) {
	c := int(b[at])
	if c > maxShort {
		c -= integer
	}
	s.gap = 1 + c
	return s, c >= 0 && b[at+s.gap] == s.tag
}

// shapeOf is kept out of the loops over pairs.
//
//go:noinline
func shapeOf(b []byte, at int) (s shape) {
	s.gap = elementSize(b[at:])
	second := at + s.gap
	s.tag, s.after = b[second], elementSize(b[second:])
	if b[at] == longText || s.tag == longText {
		s.tag = noTag
	}
	return s
}

// alikeAfter returns the flag alike of the list after a change, which puts count elements in the place of
// those between two offsets. Without the flag a list of pairs is as good, and only slower.
func (l *List) alikeAfter(from, to int, elements []byte, removed, count int) uint32 {
	all := l.bytes()
	before, behind, first := all[headerBytes:from], all[to:], all[headerBytes:]
	switch {
	case (l.Len()|removed|count)%2 != 0:
		return 0
	case len(before)+len(behind) == 0:
		first = elements
	case len(before) == 0:
		first = behind
	}
	same := haveShape(first, elements)
	if same && l.more&alike == 0 && len(first) > 0 { // a pair of another shape may have gone
		same = !haveShape(first, all[from:to]) && haveShape(first, before) && haveShape(first, behind)
	}
	if same {
		return alike
	}
	return 0
}

// haveShape reports whether all pairs have the shape of the first of other pairs.
func haveShape(first, pairs []byte) bool {
	if len(pairs) == 0 {
		return true
	}
	s := shapeOf(first, 0)
	for at := 0; at < len(pairs); at += s.gap + s.after {
		if second := at + s.gap; second >= len(pairs) || pairs[at] != first[0] || pairs[second] != s.tag {
			return false
		}
	}
	return true
}

// lastAfter returns the bits of the last pair after a change, which puts count elements before an offset.
func (l *List) lastAfter(to int, elements []byte, count int) uint32 {
	switch {
	case to == l.End() && count == 2:
		return bitsOfLast(len(elements))
	case to > l.End()-l.lastPair():
		return 0
	}
	return l.more & (lastMask << lastBits)
}

// lastPair returns the size of the last pair, 0 if it is unknown.
func (l *List) lastPair() int { return int(l.more >> lastBits & lastMask) }

func bitsOfLast(size int) uint32 {
	if size > lastMask {
		return 0
	}
	return uint32(size) << lastBits
}

// PairAt begins at the pair of a rank, which may be the number of pairs.
func (l *List) PairAt(rank int) Pairs {
	if last := l.lastPair(); last > 0 && rank == l.Len()/2-1 {
		return l.Pairs(l.End() - last)
	}
	p := l.Pairs(l.First())
	p.Skip(rank)
	return p
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
	if p.At += p.gap + p.after; p.alike || !p.More() {
		return
	}
	s, ok := p.fit(p.b, p.At)
	if !ok {
		s = shapeOf(p.b, p.At)
	}
	p.shape = s
}

// Skip goes over n pairs.
func (p *Pairs) Skip(n int) {
	if p.alike {
		p.At += n * (p.gap + p.after)
		return
	}
	b, s, at, ok := p.b, p.shape, p.At, false
	for ; n > 0; n-- {
		if at += s.gap + s.after; at == len(b) {
			break
		}
		if s, ok = s.fit(b, at); !ok {
			s = shapeOf(b, at)
		}
	}
	p.shape, p.At = s, at
}

// SkipBelow goes over the pairs whose numbers are below a bound, and returns how many these are. With orAt,
// those at the bound count, too. The numbers of the list must ascend.
func (p *Pairs) SkipBelow(bound float64, orAt bool) (n int) {
	if !p.alike {
		b, s, at, ok := p.b, p.shape, p.At, false
		for at < len(b) && isBelow(number(b[at+s.gap:]), bound, orAt) {
			n++
			if at += s.gap + s.after; at == len(b) {
				break
			}
			if s, ok = s.fit(b, at); !ok {
				s = shapeOf(b, at)
			}
		}
		p.shape, p.At = s, at
		return n
	}
	size := p.gap + p.after
	is := func(i int) bool { return isBelow(number(p.b[p.At+i*size+p.gap:]), bound, orAt) }
	// As a rule none is below, all are, or a few.
	most := (len(p.b) - p.At) / max(size, 1)
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
	p.At += n * size
	return n
}

func isBelow(f, bound float64, orAt bool) bool { return f < bound || f == bound && orAt }

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

// Integer returns the integer that is the first element of the pair. ok is false if that is a text.
func (p *Pairs) Integer() (n int64, ok bool) {
	b := p.b[p.At : p.At+p.gap]
	if b[0] <= longText {
		return 0, false
	}
	return readInteger(b[1:]), true
}

// Number returns the number that is the second element of the pair, a result of [AppendNumber].
func (p *Pairs) Number() float64 { return number(p.b[p.At+p.gap:]) }

// FindPair returns the offset and the rank of the pair whose first element equals first, a result of
// [AppendElement]. If there is no such pair, it returns those of the last pair, and false.
func (l *List) FindPair(first []byte) (at, rank int, found bool) {
	b, length, probe := l.bytes(), len(first), probeOf(first)
	if len(b) == headerBytes {
		return headerBytes, 0, false
	}
	tag, probed := first[0], first[probe]
	s := shapeOf(b, headerBytes)
	if size := s.gap + s.after; l.more&alike != 0 {
		for at = headerBytes; b[headerBytes] == tag && at < len(b); at += size {
			if b[at+probe] == probed && bytes.Equal(b[at:at+length], first) {
				return at, rank, true
			}
			rank++
		}
		return len(b) - size, l.Len()/2 - 1, false
	}
	ok := true
	for at = headerBytes; ; rank++ {
		if i := at + probe; i < len(b) && (b[at]^tag)|(b[i]^probed) == 0 && bytes.HasPrefix(b[at:], first) {
			return at, rank, true
		}
		if s, ok = s.fit(b, at); !ok {
			s = shapeOf(b, at)
		}
		next := at + s.gap + s.after
		if next == len(b) {
			return at, rank, false
		}
		at = next
	}
}

// Move moves a pair, which lies at an offset, to another one. The pairs between them move the other way.
func (l *List) Move(from, to int, pair []byte) {
	b, n := l.bytes(), len(pair)
	if max(from, to)+n == len(b) && from != to { // another pair is the last one
		l.more &^= lastMask << lastBits
		if to > from {
			l.more |= bitsOfLast(n)
		}
	}
	if to > from {
		copy(b[from:to], b[from+n:to+n])
	} else {
		copy(b[to+n:from+n], b[to:from])
	}
	copy(b[to:], pair)
}
