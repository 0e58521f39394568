package set

import (
	"encoding/binary"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/store/packed"
	"cellserver/store/value"
)

// Ints is a set of integers: the beginning of a block of memory, which holds them behind it in ascending
// order. So an Ints must never be copied; use the pointer.
type Ints struct {
	count uint32
	width uint32 // bytes of each integer: 2, 4 or 8
}

const headerBytes = 8

// newInts returns a set with room for integers, which the caller fills in.
func newInts(count, width int) *Ints {
	b := make([]byte, packed.Room(headerBytes+count*width))
	s := (*Ints)(unsafe.Pointer(unsafe.SliceData(b)))
	s.count, s.width = uint32(count), uint32(width)
	return s
}

func (s *Ints) room() int { return packed.Room(headerBytes + int(s.count*s.width)) }

// data returns the bytes of all integers.
func (s *Ints) data() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s)), s.room())[headerBytes : headerBytes+s.count*s.width]
}

func widthOf(n int64) int {
	switch {
	case n == int64(int16(n)):
		return 2
	case n == int64(int32(n)):
		return 4
	}
	return 8
}

func (s *Ints) at(i int) int64 {
	switch b := s.data()[i*int(s.width):]; s.width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	default:
		return int64(binary.LittleEndian.Uint64(b))
	}
}

func (s *Ints) put(i int, n int64) {
	switch b := s.data()[i*int(s.width):]; s.width {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, uint64(n))
	}
}

// find returns the index of an integer, or where it belongs.
func (s *Ints) find(n int64) (i int, found bool) {
	lo, hi := 0, int(s.count)
	for lo < hi {
		if mid := (lo + hi) / 2; s.at(mid) < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < int(s.count) && s.at(lo) == n
}

// insert returns the set with an integer more, which belongs at index i.
func (s *Ints) insert(i int, n int64) *Ints {
	width := max(int(s.width), widthOf(n))
	grown := newInts(int(s.count)+1, width)
	if width == int(s.width) {
		old, b := s.data(), grown.data()
		copy(b, old[:i*width])
		copy(b[(i+1)*width:], old[i*width:])
	} else {
		for k := range int(s.count) {
			to := k
			if k >= i {
				to++
			}
			grown.put(to, s.at(k))
		}
	}
	grown.put(i, n)
	return grown
}

// remove returns the set without the integer at index i.
func (s *Ints) remove(i int) *Ints {
	width := int(s.width)
	less := newInts(int(s.count)-1, width)
	old, b := s.data(), less.data()
	copy(b, old[:i*width])
	copy(b[i*width:], old[(i+1)*width:])
	return less
}

// Kind returns [value.Set].
func (*Ints) Kind() value.Kind { return value.Set }

// Len returns the number of members.
func (s *Ints) Len() int { return int(s.count) }

// Bytes returns how much memory the set takes.
func (s *Ints) Bytes() int64 { return int64(s.room()) }

// Encoding returns Redis's name of the form.
func (*Ints) Encoding() string { return "intset" }

// Clone returns an independent copy.
func (s *Ints) Clone() value.Collection {
	c := newInts(int(s.count), int(s.width))
	copy(c.data(), s.data())
	return c
}

// Fork returns a copy; see [value.Collection]. Nobody changes an Ints, so it is the set itself.
func (s *Ints) Fork() (c value.Collection, copied int64) { return s, 0 }

func (s *Ints) has(member []byte) bool {
	n, ok := decimal.Parse(member)
	if !ok {
		return false
	}
	_, found := s.find(n)
	return found
}

func (s *Ints) each(f func(member []byte) bool) {
	var digits [20]byte
	for i := range int(s.count) {
		if !f(decimal.Append(digits[:0], s.at(i))) {
			return
		}
	}
}
