package sortedset

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/value"
)

// small is the compact form: a member, its score, the next member, and so on, in the order of the set. It is
// the beginning of a block of memory, so it must never be copied; use the pointer.
type small struct{ packed.List }

// smallOf returns a list of members and scores as a set, without a copy.
func smallOf(l *packed.List) *small { return (*small)(unsafe.Pointer(l)) }

// Kind implements [value.Collection], as the other methods do.
func (*small) Kind() value.Kind                           { return value.Sorted }
func (*small) Encoding() string                           { return "listpack" }
func (s *small) Len() int                                 { return s.List.Len() / 2 }
func (s *small) Clone() value.Collection                  { return smallOf(s.List.Clone()) }
func (s *small) Fork() (c value.Collection, copied int64) { return s.Clone(), s.Bytes() }

// scratchBytes is the room for the elements of a member of a usual length and its score.
const scratchBytes = 96

// integerBytes is the room for a member that is stored as an integer.
const integerBytes = 20

func (s *small) score(member []byte) (float64, bool) {
	var buf [scratchBytes]byte
	at, _, found := s.FindPair(packed.AppendElement(buf[:0], member))
	if !found {
		return 0, false
	}
	p := s.Pairs(at)
	return p.Number(), true
}

func (s *small) rank(member []byte) (rank int, found bool) {
	var buf [scratchBytes]byte
	_, rank, found = s.FindPair(packed.AppendElement(buf[:0], member))
	return rank, found
}

// within is [Set.Within].
func (s *small) within(low, high float64, lowOpen, highOpen bool) (lo, hi int) {
	p := s.Pairs(s.First())
	lo = p.SkipBelow(low, lowOpen)
	if math.IsInf(high, 1) && !highOpen { // without a walk to the end
		return lo, s.Len()
	}
	return lo, lo + p.SkipBelow(high, !highOpen)
}

func (s *small) eachOf(from, to int, reverse bool, f func(score float64, member []byte) bool) {
	var scratch []byte // no array, which would be allocated for every call
	p := s.PairAt(from)
	if !reverse {
		for ; from < to && f(p.Number(), p.First(&scratch)); from++ {
			p.Next()
		}
		return
	}
	var buf [256]int
	offsets := buf[:0]
	for ; from < to; from++ {
		offsets = append(offsets, p.At)
		p.Next()
	}
	for _, at := range slices.Backward(offsets) {
		p = s.Pairs(at)
		if !f(p.Number(), p.First(&scratch)) {
			return
		}
	}
}

// set gives a member its score. now is nil if the compact form has no place for the member.
func (s *small) set(score float64, member []byte, l *value.Limits) (now *small, did value.Outcome) {
	var buf [scratchBytes]byte
	item := packed.AppendElement(buf[:0], member)
	n := len(item)
	item = packed.AppendNumber(item, score)
	at, _, found := s.FindPair(item[:n])
	switch {
	case found && s.Is(at+n, item[n:]):
		return s, did
	case found:
		to, end := s.placeOf(score, member), s.Next(at+n)
		if to > at {
			to -= end - at
		}
		list := s.Replace(at, end, item, 2, 2)
		list.Move(at, to, item)
		return smallOf(list), value.Outcome{Changed: true}
	case s.Len() >= l.ZSetEntries || len(member) > l.ZSetValue || s.Size()+len(item) > packed.MostBytes:
		return nil, did
	}
	to := s.End()
	// Most new items are the last ones.
	if last := s.Pairs(at); s.Len() > 0 && !s.before(&last, score, member) {
		to = s.placeOf(score, member)
	}
	return smallOf(s.Replace(to, to, item, 0, 2)), value.Outcome{Changed: true, Added: true}
}

// placeOf returns the offset of the first pair that does not stand before an item.
func (s *small) placeOf(score float64, member []byte) int {
	p := s.Pairs(s.First())
	p.SkipBelow(score, false)
	for p.More() && s.before(&p, score, member) {
		p.Next()
	}
	return p.At
}

// before reports whether a pair stands before an item.
func (s *small) before(p *packed.Pairs, score float64, member []byte) bool {
	n := p.Number()
	if n != score {
		return n < score
	}
	var scratch [integerBytes]byte
	return bytes.Compare(s.Text(p.At, scratch[:0]), member) < 0
}

func (s *small) remove(member []byte) (now *small, removed bool) {
	var buf [scratchBytes]byte
	at, _, found := s.FindPair(packed.AppendElement(buf[:0], member))
	if !found {
		return s, false
	}
	return smallOf(s.Remove(at, s.Next(s.Next(at)), 2)), true
}

func (s *small) removeRange(from, to int, removed func(member []byte)) *small {
	var scratch []byte
	p := s.PairAt(from)
	at := p.At
	for range to - from {
		removed(p.First(&scratch))
		p.Next()
	}
	return smallOf(s.Remove(at, p.At, 2*(to-from)))
}

// smallOfItems returns a set of items in order.
func smallOfItems(items []Item) *small {
	var elements []byte
	for _, it := range items {
		elements = packed.AppendElement(elements, bytesOf(it.Member))
		elements = packed.AppendNumber(elements, it.Score)
	}
	return smallOf(packed.Of(elements, 2*len(items)))
}

// items returns all items.
func (s *small) items() []Item {
	all := make([]Item, 0, s.Len()+1)
	s.eachOf(0, s.Len(), false, func(score float64, member []byte) bool {
		all = append(all, Item{score, string(member)})
		return true
	})
	return all
}
