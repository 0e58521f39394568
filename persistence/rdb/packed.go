package rdb

import (
	"encoding/binary"

	"cellserver/internal/decimal"
)

// A packed list is a string that holds a list: a listpack, or the ziplist that Redis had
// before version 7. Both are a header with the bytes of the whole and the number of
// elements, the elements, and 0xFF. An element has its length on its far side, so that
// lists can be walked backwards: here it is a second check.
const (
	packedEnd    = 0xFF
	packedUnsure = 0xFFFF // too many elements for their number to be in the header

	listpackHeader = 4 + 2
	ziplistHeader  = 4 + 4 + 2
)

// element is one of a packed list: text, or if that is nil an integer.
type element struct {
	text []byte
	n    int64
}

// appendTo appends the element as a string.
func (e element) appendTo(b []byte) []byte {
	if e.text != nil {
		return append(b, e.text...)
	}
	return decimal.Append(b, e.n)
}

// packed is a packed list and what kind of one.
type packed struct {
	name   string
	list   []byte
	header int
	// next returns the first element of b and how many bytes it takes, given what the
	// one before took; 0 when there is none that could be.
	next func(b []byte, before int) (element, int)
}

func newListpack(b []byte) packed { return packed{"listpack", b, listpackHeader, nextInListpack} }
func newZiplist(b []byte) packed  { return packed{"ziplist", b, ziplistHeader, nextInZiplist} }

// each calls do for every element. It returns where the list is damaged and what was
// expected there, or "" when it is whole.
func (p packed) each(do func(element) (expected string)) (at int, expected string) {
	b := p.list
	if len(b) <= p.header || int64(binary.LittleEndian.Uint32(b)) != int64(len(b)) {
		return 0, "a " + p.name + " that says how long it is"
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
	if says := int(binary.LittleEndian.Uint16(b[p.header-2:])); says != packedUnsure && says != count {
		return p.header - 2, "the number of elements of a " + p.name
	}
	return 0, ""
}

// nextInListpack decodes an element that begins with its encoding and ends with its
// length, 7 bits a byte, the first of them last.
//
// Source: https://github.com/antirez/listpack/blob/master/listpack.md
func nextInListpack(b []byte, _ int) (element, int) {
	head, text, number := 1, -1, 0
	var e element
	switch c := b[0]; {
	case c < 0x80:
		e.n = int64(c)
	case c < 0xC0:
		text = int(c & 0x3F)
	case c < 0xE0 && len(b) > 1:
		head, e.n = 2, int64(int16(uint16(c&0x1F)<<11|uint16(b[1])<<3)>>3)
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

// read completes an element whose head bytes say that a text of so many bytes (-1 for
// none) or an integer of so many bytes (0 for none) follows them.
func (e element) read(b []byte, head, text, number int) (element, int) {
	size := head + max(text, 0) + number
	if size > len(b) {
		return e, 0
	}
	switch {
	case text >= 0:
		e.text = b[head:size:size]
	case number > 0:
		e.n = littleEndian(b[head:size])
	}
	return e, size
}

// backLength is in how many bytes a listpack's element of so many says its length.
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

// saysBackwards reports whether b is the length size, to be read from its end.
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

// nextInZiplist decodes an element that begins with the length of the one before it, in
// one byte or, after the byte 254, in four; then comes its encoding.
//
// Source: https://github.com/redis/redis/blob/6.2/src/ziplist.c
func nextInZiplist(b []byte, before int) (element, int) {
	says, at := int(b[0]), 1
	if says == 254 && len(b) > 5 {
		says, at = int(binary.LittleEndian.Uint32(b[1:])), 5
	}
	if says != before || len(b) == at {
		return element{}, 0
	}
	head, text, number := at+1, -1, 0
	var e element
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
		e.n = int64(c) - 0xF1
	default:
		return e, 0
	}
	return e.read(b, head, text, number)
}
