package encoding

import (
	"encoding/binary"

	"cellserver/internal/decimal"
)

// The end and the headers of packed lists.
const (
	packedEnd          = 0xFF
	packedCountUnknown = 0xFFFF // the header has no room for the number of elements

	listpackHeader = 4 + 2
	ziplistHeader  = 4 + 4 + 2
)

// Element is one element of a packed list: a text or, if the text is nil, an integer.
type Element struct {
	Text []byte
	Int  int64
}

// AppendTo appends the element as a string.
func (e Element) AppendTo(b []byte) []byte {
	if e.Text != nil {
		return append(b, e.Text...)
	}
	return decimal.Append(b, e.Int)
}

// EachOf calls do for every element of the list in b, until do says that it expected something else. If the
// list is damaged, it returns the index of the fault in bytes and the expected input. Else expected is "".
type EachOf func(b []byte, do func(Element) (expected string)) (at int, expected string)

// Listpack is an [EachOf].
func Listpack(b []byte, do func(Element) (expected string)) (at int, expected string) {
	return packedList{"listpack", listpackHeader, nextInListpack}.each(b, do)
}

// Ziplist is an [EachOf]. Redis before version 7 has ziplists.
func Ziplist(b []byte, do func(Element) (expected string)) (at int, expected string) {
	return packedList{"ziplist", ziplistHeader, nextInZiplist}.each(b, do)
}

// packedList is the form of a listpack or a ziplist: a header, the elements, and 0xFF. The header has the
// number of bytes and the number of elements. An element also has its length at its far side, for walks from
// the end. Both forms check it, too.
type packedList struct {
	name   string
	header int // its size
	// next returns the first element of b and its size in bytes. The size is 0 if b does not begin with an
	// element. before is the size of the element before.
	next func(b []byte, before int) (Element, int)
}

func (p packedList) each(b []byte, do func(Element) (expected string)) (at int, expected string) {
	if len(b) <= p.header || int64(binary.LittleEndian.Uint32(b)) != int64(len(b)) {
		return 0, "a " + p.name + " with its own length"
	}
	if b[len(b)-1] != packedEnd {
		return len(b) - 1, "the end of a " + p.name
	}
	b = b[:len(b)-1]
	count, before := 0, 0
	for at = p.header; at < len(b); at += before {
		e, size := p.next(b[at:], before)
		if size == 0 {
			return at, "an element of a " + p.name
		}
		if expected = do(e); expected != "" {
			return at, expected
		}
		before = size
		count++
	}
	if says := int(binary.LittleEndian.Uint16(b[p.header-2:])); says != packedCountUnknown && says != count {
		return p.header - 2, "the number of elements of a " + p.name
	}
	return 0, ""
}

// nextInListpack decodes an element. It begins with its encoding and ends with its
// length, in groups of 7 bits, the lowest group last.
//
// Source: https://github.com/antirez/listpack/blob/master/listpack.md
func nextInListpack(b []byte, _ int) (Element, int) {
	head, text, number := 1, -1, 0
	var e Element
	switch c := b[0]; {
	case c < 0x80:
		e.Int = int64(c)
	case c < 0xC0:
		text = int(c & 0x3F)
	case c < 0xE0 && len(b) > 1:
		head, e.Int = 2, int64(int16(uint16(c&0x1F)<<11|uint16(b[1])<<3)>>3)
	case c >= 0xE0 && c < 0xF0 && len(b) > 1:
		head, text = 2, int(c&0x0F)<<8|int(b[1])
	case c == 0xF0 && len(b) > 4:
		head, text = 5, int(binary.LittleEndian.Uint32(b[1:]))
	case c > 0xF0 && c < 0xF4:
		number = int(c-0xF0) + 1
	case c == 0xF4:
		number = 8
	default:
		return e, 0
	}
	e, size := e.read(b, head, text, number)
	if size == 0 {
		return e, 0
	}
	back := backLength(size)
	if len(b) < size+back || !saysBackwards(b[size:size+back], size) {
		return e, 0
	}
	return e, size + back
}

// read completes an element after its head bytes. text is the size of the text after the head (-1: no text).
// number is the size of the integer after the head (0: no integer).
func (e Element) read(b []byte, head, text, number int) (Element, int) {
	size := head + max(text, 0) + number
	if size > len(b) {
		return e, 0
	}
	switch {
	case text >= 0:
		e.Text = b[head:size:size]
	case number > 0:
		e.Int = SignedInt(b[head:size])
	}
	return e, size
}

// backLength returns how many bytes a listpack uses for the length of an element of size bytes.
func backLength(size int) int {
	switch {
	case size <= 127:
		return 1
	case size < 16383:
		return 2
	case size < 2097151:
		return 3
	case size < 268435455:
		return 4
	}
	return 5
}

// saysBackwards reports whether b, read from its end, is the length size.
func saysBackwards(b []byte, size int) bool {
	for i := len(b) - 1; i >= 0; i-- {
		more := byte(0)
		if i > 0 {
			more = 0x80
		}
		if b[i] != byte(size&0x7F)|more {
			return false
		}
		size >>= 7
	}
	return size == 0
}

// nextInZiplist decodes an element. It begins with the length of the element before it: one byte, or
// the byte 254 and four bytes. Its encoding follows.
//
// Source: https://github.com/redis/redis/blob/6.2/src/ziplist.c
func nextInZiplist(b []byte, before int) (Element, int) {
	says, at := int(b[0]), 1
	if says == 254 && len(b) > 5 {
		says, at = int(binary.LittleEndian.Uint32(b[1:])), 5
	}
	if says != before || len(b) == at {
		return Element{}, 0
	}
	head, text, number := at+1, -1, 0
	var e Element
	switch c := b[at]; {
	case c < 0x40:
		text = int(c)
	case c < 0x80 && len(b) > at+1:
		head, text = at+2, int(c&0x3F)<<8|int(b[at+1])
	case c == 0x80 && len(b) > at+4:
		head, text = at+5, int(binary.BigEndian.Uint32(b[at+1:]))
	case c == 0xFE:
		number = 1
	case c == 0xC0:
		number = 2
	case c == 0xF0:
		number = 3
	case c == 0xD0:
		number = 4
	case c == 0xE0:
		number = 8
	case c >= 0xF1 && c <= 0xFD:
		e.Int = int64(c) - 0xF1
	default:
		return e, 0
	}
	return e.read(b, head, text, number)
}
