package set

import (
	"encoding/binary"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/store/packed"
	"cellserver/store/value"
)

// ints is a set of integers: the beginning of a block of memory, which holds them behind it in ascending
// order. So an ints must never be copied; use the pointer.
type ints struct {
	count uint32
	width uint32 // bytes of each integer: 2, 4 or 8
}

const headerBytes = 8

// newInts returns a set with room for integers, which the caller fills in.
func newInts(count, width int) *ints {
	b := make([]byte, packed.Room(headerBytes+count*width))
	s := (*ints)(unsafe.Pointer(unsafe.SliceData(b)))
	s.count, s.width = uint32(count), uint32(width)
	return s
}

func (s *ints) room() int { return packed.Room(headerBytes + int(s.count*s.width)) }

// data returns the bytes of all integers.
func (s *ints) data() []byte {
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

func (s *ints) at(i int) int64 {
	switch b := s.data()[i*int(s.width):]; s.width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	default:
		return int64(binary.LittleEndian.Uint64(b))
	}
}

func (s *ints) put(i int, n int64) {
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
func (s *ints) find(n int64) (i int, found bool) {
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
func (s *ints) insert(i int, n int64) *ints {
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
func (s *ints) remove(i int) *ints {
	width := int(s.width)
	less := newInts(int(s.count)-1, width)
	old, b := s.data(), less.data()
	copy(b, old[:i*width])
	copy(b[i*width:], old[(i+1)*width:])
	return less
}

func (*ints) Kind() value.Kind { return value.Set }
func (s *ints) Len() int       { return int(s.count) }
func (s *ints) Bytes() int64   { return int64(s.room()) }
func (*ints) Encoding() string { return "intset" }

func (s *ints) Clone() value.Collection {
	c := newInts(int(s.count), int(s.width))
	copy(c.data(), s.data())
	return c
}

// Fork returns the set itself, because nobody changes an ints.
func (s *ints) Fork() (c value.Collection, copied int64) { return s, 0 }

func (s *ints) has(member []byte) bool {
	n, ok := decimal.Parse(member)
	if !ok {
		return false
	}
	_, found := s.find(n)
	return found
}

func (s *ints) each(f func(member []byte) bool) {
	var digits [20]byte
	for i := range int(s.count) {
		if !f(decimal.Append(digits[:0], s.at(i))) {
			return
		}
	}
}
