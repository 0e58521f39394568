package packed

import (
	"bytes"
	"math/bits"
	"unsafe"
)

// List is a sequence of byte strings: the beginning of a block of memory, which holds their elements behind
// it. So a List must never be copied; use the pointer. A change returns the list, because its block may have
// moved.
//
// An offset says where an element begins. It is valid until the list changes.
type List struct {
	size uint32 // of the block's used part, with this header
	more uint32 // the number of elements, the last pair, the flag alike, and an eighth of the spare bytes
}

const (
	headerBytes = 8
	countMask   = 1<<17 - 1 // of the number of elements: at most 64 KiB of them, or 2048 pairs
	lastBits    = 17        // from here on: the size of the last pair; 0 if it is unknown
	lastMask    = 1<<6 - 1  // the largest such size
	alike       = 1 << 23   // of a list of pairs: all have the shape of the first one
	spareBits   = 24
)

// mostSpare returns how many bytes beyond its room a list may keep of its block, when it shrinks to a size.
func mostSpare(size int) int { return min(max(64, size/2), 2040) }

// MostBytes is the most bytes of all elements that a caller may put into a list. Changes move the
// bytes behind them, so a list of that size is slow already.
const MostBytes = 1 << 20

// New returns an empty list.
func New() *List { return alloc(headerBytes) }

// Of returns a list of elements, which are count results of [AppendElement].
func Of(elements []byte, count int) *List {
	l := alloc(headerBytes + len(elements))
	l.more = uint32(count) | l.alikeAfter(headerBytes, headerBytes, elements, 0, count)
	l.size = uint32(headerBytes + len(elements))
	copy(l.bytes()[headerBytes:], elements)
	return l
}

// alloc returns an empty list with room for size bytes.
func alloc(size int) *List {
	b := make([]byte, Room(size))
	l := (*List)(unsafe.Pointer(unsafe.SliceData(b)))
	l.size, l.more = headerBytes, alike
	return l
}

// Room returns the size of the block for a number of bytes. Go's allocator has blocks of nearly all
// of these sizes.
func Room(size int) int {
	step := 8
	switch {
	case size > 256:
		step = 1 << (bits.Len(uint(size-1)) - 4)
	case size > 32:
		step = 16
	}
	return max((size+step-1)/step*step, 16)
}

// bytes returns the used part of the block.
func (l *List) bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(l)), l.size) }

// room returns the size of the block.
func (l *List) room() int { return Room(int(l.size)) + int(l.more>>spareBits)*8 }

// Len returns the number of elements.
func (l *List) Len() int { return int(l.more & countMask) }

// Bytes returns how much memory the list takes, in bytes.
func (l *List) Bytes() int64 { return int64(l.room()) }

// Size returns the number of bytes of all elements.
func (l *List) Size() int { return int(l.size) - headerBytes }

// Seek returns about how many steps of 0.1 µs it takes to find a pair of a list, or to change it. The search
// begins at the first one, and a change moves what lies behind the pair.
func (l *List) Seek() int { return 1 + l.Len()/64 + l.Size()/1024 }

// First returns the offset of the first element, which is [List.End] in an empty list.
func (l *List) First() int { return headerBytes }

// End returns the offset behind the last element.
func (l *List) End() int { return int(l.size) }

// Next returns the offset of the element behind the one at an offset.
func (l *List) Next(at int) int { return at + elementSize(l.bytes()[at:]) }

// At returns the offset of element number i. With i = [List.Len] it is [List.End].
func (l *List) At(i int) int {
	b, at := l.bytes(), headerBytes
	// Most elements begin with the same byte as the element before, and then have the same length. So the
	// loop rarely reads a length, and skips four such elements at once.
	first, size := byte(0), 1
	for ; i > 0; i-- {
		if c := b[at]; c != first || c == longText {
			first, size = c, elementSize(b[at:])
		}
		at += size
		for i > 4 && first != longText && at+3*size < len(b) &&
			(b[at]^first)|(b[at+size]^first)|(b[at+2*size]^first)|(b[at+3*size]^first) == 0 {
			at += 4 * size
			i -= 4
		}
	}
	return at
}

// Text returns the byte string at an offset. It is in `scratch`, which needs no more than 20
// bytes, or in the list: then it is valid until the list changes.
func (l *List) Text(at int, scratch []byte) []byte { return elementText(l.bytes()[at:], scratch) }

// Find returns the offset of the first of the elements number 0, stride, 2·stride, … that equals
// element, or -1. element is a result of [AppendElement]. stride is 1 or 2.
func (l *List) Find(element []byte, stride int) int {
	if stride == 2 {
		if at, _, found := l.FindPair(element); found {
			return at
		}
		return -1
	}
	b, size, probe := l.bytes(), len(element), probeOf(element)
	for at := headerBytes; at+size <= len(b); at += elementSize(b[at:]) {
		if b[at] == element[0] && b[at+probe] == element[probe] && bytes.Equal(b[at:at+size], element) {
			return at
		}
	}
	return -1
}

// Is reports whether the element at an offset equals element, a result of [AppendElement].
func (l *List) Is(at int, element []byte) bool { return bytes.HasPrefix(l.bytes()[at:], element) }

// Replace puts elements, which are count results of [AppendElement], in the place of the old ones between
// two offsets, which are removed in number.
func (l *List) Replace(from, to int, elements []byte, removed, count int) *List {
	old, room := l.bytes(), l.room()
	size := len(old) - (to - from) + len(elements)
	more := l.alikeAfter(from, to, elements, removed, count) | l.lastAfter(to, elements, count)
	more |= uint32(l.Len() + count - removed)
	if spare := room - Room(size); spare >= 0 && spare <= mostSpare(size) {
		grown := unsafe.Slice((*byte)(unsafe.Pointer(l)), room)
		copy(grown[from+len(elements):size], old[to:])
		copy(grown[from:], elements)
		l.size, l.more = uint32(size), uint32(spare/8)<<spareBits|more
		return l
	}
	moved := alloc(size)
	moved.size, moved.more = uint32(size), more
	b := moved.bytes()
	copy(b[headerBytes:], old[headerBytes:from])
	copy(b[from:], elements)
	copy(b[from+len(elements):], old[to:])
	return moved
}

// Roomy returns a copy in a block of room bytes, for [List.ReplaceWithin]. room is a result of [Room], and
// at least [List.Bytes].
func (l *List) Roomy(room int) *List {
	c := alloc(room)
	c.size, c.more = l.size, l.more&(countMask|alike)
	copy(c.bytes()[headerBytes:], l.bytes()[headerBytes:])
	return c
}

// ReplaceWithin is [List.Replace] in a block of room bytes, which must suffice. The list stays where it is.
// Every other change works, too, and may move the list to a block without spare room.
func (l *List) ReplaceWithin(room, from, to int, elements []byte, removed, count int) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(l)), room)
	copy(b[from+len(elements):], b[to:l.size])
	copy(b[from:], elements)
	l.size += uint32(len(elements) - (to - from))
	l.more = uint32(l.Len() + count - removed) // the caller knows the spare room
}

// Append adds elements at the end, which are count results of [AppendElement].
func (l *List) Append(elements []byte, count int) *List {
	return l.Replace(l.End(), l.End(), elements, 0, count)
}

// Remove removes a number of elements between two offsets.
func (l *List) Remove(from, to, removed int) *List { return l.Replace(from, to, nil, removed, 0) }

// Clone returns a copy.
func (l *List) Clone() *List {
	c := alloc(l.room())
	c.size, c.more = l.size, l.more
	copy(c.bytes()[headerBytes:], l.bytes()[headerBytes:])
	return c
}

// Slice returns a new list of the elements between two offsets, count in number.
func (l *List) Slice(from, to, count int) *List {
	return Of(l.bytes()[from:to], count)
}

// Elements returns all elements. They are valid until the list changes.
func (l *List) Elements() []byte { return l.bytes()[headerBytes:] }
