package hash

import (
	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Hash is a hash of either form, to be read. The zero Hash has no fields.
type Hash struct {
	small *small
	large *large
}

// Of returns the hash that a collection is, without fields if it is nil or of another type.
func Of(c value.Collection) (h Hash) {
	switch c := c.(type) {
	case *small:
		h.small = c
	case *large:
		h.large = c
	}
	return h
}

// Len returns the number of fields.
func (h Hash) Len() int {
	switch {
	case h.small != nil:
		return h.small.Len()
	case h.large != nil:
		return h.large.Len()
	}
	return 0
}

// Seek returns about how many steps of 0.1 µs it takes to find a field.
func (h Hash) Seek() int {
	if h.small != nil {
		return h.small.Seek()
	}
	return 2
}

// scratchBytes is the room for the element of a field of a usual length.
const scratchBytes = 80

// Get returns the value of a field, and whether the field is there. The value is in scratch, for which 20
// bytes suffice, or valid until the hash changes.
func (h Hash) Get(field, scratch []byte) (val []byte, ok bool) {
	switch {
	case h.small != nil:
		var buf [scratchBytes]byte
		l := &h.small.List
		if at := l.Find(packed.AppendElement(buf[:0], field), 2); at >= 0 {
			return l.Text(l.Next(at), scratch), true
		}
	case h.large != nil:
		return h.large.Get(field, scratch)
	}
	return nil, false
}

// Each calls f for every field until f returns false. The bytes are valid until f returns. f must not change
// the hash.
func (h Hash) Each(f func(field, val []byte) bool) {
	switch {
	case h.small != nil:
		h.small.each(f)
	case h.large != nil:
		h.large.Each(f)
	}
}

func (s *small) each(f func(field, val []byte) bool) {
	var a, b [20]byte
	l := &s.List
	for at := l.First(); at < l.End(); {
		next := l.Next(at)
		if !f(l.Text(at, a[:0]), l.Text(next, b[:0])) {
			return
		}
		at = l.Next(next)
	}
}

// Room is the memory in which [Hash.At] writes a field and a value that are stored as integers.
type Room struct{ trie.Room }

// At returns the field of a rank and its value, 0 ≤ rank < Len. The bytes are valid until the hash changes
// or room is used again.
func (h Hash) At(rank int, room *Room) (field, val []byte) {
	if h.large != nil {
		return h.large.At(rank, &room.Room)
	}
	l := &h.small.List
	at := l.At(2 * rank)
	return l.Text(at, room.Key[:0]), l.Text(l.Next(at), room.Value[:0])
}

// Scan calls f for some of the fields of a large hash, and for all of a compact one, and returns the next
// cursor; see [trie.Map.Scan].
func (h Hash) Scan(cursor uint64, count int, f func(field, val []byte)) (next uint64) {
	if h.large != nil {
		return h.large.Scan(cursor, count, f)
	}
	h.Each(func(field, val []byte) bool {
		f(field, val)
		return true
	})
	return 0
}
