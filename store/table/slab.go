package table

import (
	"math"
	"unsafe"

	"cellserver/store/value"
)

// object is a string, a collection, or the bytes of a key that is too long for an arena. A cell
// refers to it. It has the size of four words. A string's length and capacity are therefore 32-bit
// numbers, and a collection uses the length's place for another number.
type object struct {
	value    any    // a *byte, the first byte of a string; or a value.Collection
	capacity uint32 // of the string
	// length is the length of a string. For a collection it is the number of the snapshot
	// for which the collection was last copied.
	length uint32
	hash   uint64 // of the key, to find the cell that refers to the object
}

// objectBytes is the memory of an object in the slab, without its string or collection.
const objectBytes = 32

func textObject(b []byte, hash uint64) (o object) {
	o.hash = hash
	o.setBytes(b)
	return o
}

func (o *object) bytes() []byte {
	text, _ := o.value.(*byte)
	return unsafe.Slice(text, o.capacity)[:o.length]
}

// collection returns the collection, nil for a string.
func (o *object) collection() value.Collection {
	c, _ := o.value.(value.Collection)
	return c
}

func (o *object) setBytes(b []byte) {
	if cap(b) > math.MaxUint32 {
		panic("store: a string of 4 GiB or more")
	}
	o.value, o.length, o.capacity = unsafe.SliceData(b), uint32(len(b)), uint32(cap(b))
}

// size returns the memory that the object takes, in bytes.
func (o *object) size() int64 {
	n := int64(o.capacity) + objectBytes
	if c := o.collection(); c != nil {
		n += c.Bytes()
	}
	return n
}

const slabChunk = 32

// slab holds objects at small indexes, in chunks, so that growing never copies. It has no gaps:
// when an object goes, the last object takes its place. So its memory follows the number of
// objects.
type slab struct {
	chunks      []*[slabChunk]object
	n           int64
	collections int64 // how many of the objects are collections
	binary      bool  // a string begins with a zero byte, or began so earlier
}

func (s *slab) at(i int64) *object { return &s.chunks[i/slabChunk][i%slabChunk] }

func (s *slab) put(o object) int64 {
	i := s.n
	if i/slabChunk == int64(len(s.chunks)) {
		s.chunks = append(s.chunks, new([slabChunk]object))
	}
	s.n++
	*s.at(i) = o
	if o.collection() != nil {
		s.collections++
	}
	return i
}

// drop removes an object. If the last object takes its place, drop returns that object's former
// index and its hash; otherwise moved is -1. One spare chunk is kept.
func (s *slab) drop(i int64) (moved int64, hash uint64) {
	if s.at(i).collection() != nil {
		s.collections--
	}
	s.n--
	moved = -1
	if last := s.at(s.n); i != s.n {
		*s.at(i) = *last
		moved, hash = s.n, last.hash
	}
	*s.at(s.n) = object{}
	if spare := s.n/slabChunk + 2; spare < int64(len(s.chunks)) {
		s.chunks[spare] = nil
		s.chunks = s.chunks[:spare]
		if len(s.chunks)*4 < cap(s.chunks) {
			s.chunks = append(make([]*[slabChunk]object, 0, len(s.chunks)*2), s.chunks...)
		}
	}
	return moved, hash
}
