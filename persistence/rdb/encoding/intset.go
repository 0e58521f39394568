package encoding

import "encoding/binary"

const intsetHeader = 4 + 4

// Intset is an [EachOf]. An intset begins with the bytes of an integer, and the number
// of integers. Then they follow in ascending order. All numbers are little-endian.
//
// Source: https://github.com/redis/redis/blob/7.0/src/intset.c
func Intset(b []byte, do func(Element) (expected string)) (at int, expected string) {
	if len(b) < intsetHeader {
		return 0, "an intset"
	}
	width := int64(binary.LittleEndian.Uint32(b))
	if width != 2 && width != 4 && width != 8 {
		return 0, "an intset of integers of 2, 4 or 8 bytes"
	}
	if count := int64(binary.LittleEndian.Uint32(b[4:])); count*width != int64(len(b)-intsetHeader) {
		return 4, "the number of integers of an intset"
	}
	for at = intsetHeader; at < len(b); at += int(width) {
		if expected = do(Element{Int: SignedInt(b[at : at+int(width)])}); expected != "" {
			return at, expected
		}
	}
	return 0, ""
}
