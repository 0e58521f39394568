package packed

import (
	"encoding/binary"
	"math"

	"cellserver/internal/decimal"
)

// An element begins with one byte:
//
//	0 … maxShort   the length of the bytes that follow
//	longText       four bytes follow with the length, little-endian, and then the bytes
//	integer+k      k bytes follow: an integer, little-endian, in the fewest bytes
//
// A byte string is kept as an integer if it is the decimal form of one, and has more bytes than that integer.
const (
	maxShort = 0xDF
	longText = 0xE0
	integer  = 0xE8
)

// maxDigits is the length of the longest decimal form of an int64.
const maxDigits = 20

// AppendElement appends the element of a byte string.
func AppendElement(dst, b []byte) []byte {
	if 2 <= len(b) && len(b) <= maxDigits && (b[0] == '-' || b[0]-'0' < 10) {
		if n, ok := decimal.Parse(b); ok && integerSize(n) < len(b) {
			return appendInteger(dst, n)
		}
	}
	if len(b) <= maxShort {
		dst = append(dst, byte(len(b)))
	} else {
		dst = binary.LittleEndian.AppendUint32(append(dst, longText), uint32(len(b)))
	}
	return append(dst, b...)
}

// integerSize returns the least number of bytes that can have an integer.
func integerSize(n int64) int {
	k := 1
	for n>>(8*k-1) != 0 && n>>(8*k-1) != -1 {
		k++
	}
	return k
}

func appendInteger(dst []byte, n int64) []byte {
	k := integerSize(n)
	dst = append(dst, byte(integer+k))
	for range k {
		dst = append(dst, byte(n))
		n >>= 8
	}
	return dst
}

// elementSize returns the size of the element at the start of b.
func elementSize(b []byte) int {
	switch c := b[0]; {
	case c <= maxShort:
		return 1 + int(c)
	case c == longText:
		return 5 + int(binary.LittleEndian.Uint32(b[1:]))
	default:
		return 1 + int(c-integer)
	}
}

// probeOf returns the index of the byte in which an element most likely differs from others that begin as it
// does. Texts of one list often share their first bytes, rarely their last. Integers often share their last.
func probeOf(element []byte) int {
	if element[0] > maxShort {
		return 1
	}
	return len(element) - 1
}

// elementText returns the byte string of the element at the start of b. It is a part of b, or the decimal
// form of an integer, which is in `scratch`.
func elementText(b, scratch []byte) []byte {
	switch c := b[0]; {
	case c <= maxShort:
		return b[1 : 1+int(c) : 1+int(c)]
	case c == longText:
		end := 5 + int(binary.LittleEndian.Uint32(b[1:]))
		return b[5:end:end]
	default:
		return decimal.Append(scratch[:0], readInteger(b[1:1+c-integer]))
	}
}

// readInteger returns the little-endian integer that takes all of b. The last byte has its sign.
func readInteger(b []byte) int64 {
	last := len(b) - 1
	n := int64(int8(b[last]))
	for i := last - 1; i >= 0; i-- {
		n = n<<8 | int64(b[i])
	}
	return n
}

// AppendNumber appends the element of a number: an integer if it is whole, otherwise the eight bytes of the
// float. It is not the element of a byte string. A negative zero loses its sign.
func AppendNumber(dst []byte, f float64) []byte {
	if n := int64(f); float64(n) == f {
		return appendInteger(dst, n)
	}
	return binary.LittleEndian.AppendUint64(append(dst, 8), math.Float64bits(f))
}

// number returns the number whose element is at the start of b.
func number(b []byte) float64 {
	switch c := b[0]; {
	case c == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))
	case len(b) > 8:
		spare := 8 * (integer + 8 - c) // bits of the eight bytes that are no part of the integer
		return float64(int64(binary.LittleEndian.Uint64(b[1:])) << spare >> spare)
	default:
		return float64(readInteger(b[1 : 1+c-integer]))
	}
}
