package reservation

import (
	"encoding/binary"
	"math/bits"
)

// A number of an entry has the zigzag form, as the varints of encoding/binary. Its lowest bit is the sign,
// and a negative number has the bits of its complement. A small number is one byte. Each other number is a
// byte that says its size, and then 1 to 8 bytes in little-endian order. This form is as short as these
// varints, and takes a third of their instructions.

// small is the lowest first byte that says a size: 248 says one byte, and 255 says eight.
const small = 248

// longestNumber is the size of the longest number in bytes.
const longestNumber = 9

// appendNumber appends the bytes of a number.
func appendNumber(to []byte, n int64) []byte {
	u := uint64(n<<1 ^ n>>63)
	if u < small {
		return append(to, byte(u))
	}
	size := (bits.Len64(u) + 7) / 8
	to = binary.LittleEndian.AppendUint64(append(to, byte(small-1+size)), u)
	return to[:len(to)-8+size]
}

// number reads the number at a place of b. end is the place after it. If bytes are missing, end is greater
// than the length of b.
func number(b []byte, at int) (n int64, end int) {
	if at >= len(b) {
		return 0, len(b) + 1
	}
	first := b[at]
	u := uint64(first)
	if at++; first >= small {
		size := first - (small - 1)
		if at+int(size) > len(b) {
			return 0, len(b) + 1
		}
		if at+8 <= len(b) {
			u = binary.LittleEndian.Uint64(b[at:]) & masks[size&15]
		} else {
			u = wordOf(b[at : at+int(size)])
		}
		at += int(size)
	}
	return int64(u>>1) ^ -int64(u&1), at
}

// masks has ones in the bits of a number, for each size in bytes.
var masks = [16]uint64{1: 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// wordOf returns up to eight bytes as a number.
func wordOf(b []byte) (u uint64) {
	for i, c := range b {
		u |= uint64(c) << (8 * i & 63)
	}
	return u
}
