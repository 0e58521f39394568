package set

import (
	"cellserver/internal/decimal"
	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Set is a set of any form, to be read. The zero Set has no members.
type Set struct {
	ints  *ints
	small *small
	large *large
}

// Of returns the set that a collection is, without members if it is nil or of another type.
func Of(c value.Collection) (s Set) {
	switch c := c.(type) {
	case *ints:
		s.ints = c
	case *small:
		s.small = c
	case *large:
		s.large = c
	}
	return s
}

// Len returns the number of members.
func (s Set) Len() int {
	switch {
	case s.ints != nil:
		return s.ints.Len()
	case s.small != nil:
		return s.small.Len()
	case s.large != nil:
		return s.large.Len()
	}
	return 0
}

// Seek returns about how many steps of 0.1 µs it takes to find a member. A change of a set of integers
// copies it.
func (s Set) Seek() int {
	switch {
	case s.ints != nil:
		return 1 + int(s.ints.Bytes())/512
	case s.small != nil:
		return 1 + s.small.Len()/32
	}
	return 2
}

// scratchBytes is the room for the element of a member of the compact form.
const scratchBytes = maxSmallMember + 8

// Has reports whether a member is there.
func (s Set) Has(member []byte) bool {
	switch {
	case s.ints != nil:
		return s.ints.has(member)
	case s.small != nil:
		if len(member) > maxSmallMember {
			return false
		}
		var buf [scratchBytes]byte
		return s.small.List.Find(packed.AppendElement(buf[:0], member), 1) >= 0
	case s.large != nil:
		_, ok := s.large.Get(member, nil)
		return ok
	}
	return false
}

// Each calls f for every member until f returns false. The bytes are valid until f returns. f must not change
// the set.
func (s Set) Each(f func(member []byte) bool) {
	switch {
	case s.ints != nil:
		s.ints.each(f)
	case s.small != nil:
		s.small.each(f)
	case s.large != nil:
		s.large.Each(func(member, _ []byte) bool { return f(member) })
	}
}

func (s *small) each(f func(member []byte) bool) {
	var digits [20]byte
	l := &s.List
	for at := l.First(); at < l.End(); at = l.Next(at) {
		if !f(l.Text(at, digits[:0])) {
			return
		}
	}
}

// Room is the memory in which [Set.At] writes a member that is stored as an integer.
type Room struct{ trie.Room }

// At returns the member of a rank, 0 ≤ rank < Len. The bytes are valid until the set changes or room is used
// again.
func (s Set) At(rank int, room *Room) []byte {
	switch {
	case s.ints != nil:
		return decimal.Append(room.Key[:0], s.ints.at(rank))
	case s.small != nil:
		l := &s.small.List
		return l.Text(l.At(rank), room.Key[:0])
	}
	member, _ := s.large.At(rank, &room.Room)
	return member
}

// Scan calls f for some of the members of a large set, and for all of a small one, and returns the next
// cursor; see [trie.Map.Scan].
func (s Set) Scan(cursor uint64, count int, f func(member []byte)) (next uint64) {
	if s.large != nil {
		return s.large.Scan(cursor, count, func(member, _ []byte) { f(member) })
	}
	s.Each(func(member []byte) bool {
		f(member)
		return true
	})
	return 0
}
