package encoding

import "encoding/binary"

// zipmapLong begins a length of four more bytes.
const zipmapLong = 254

// Zipmap is an [EachOf] of fields and values.
//
// Redis before version 2.6 has zipmaps. A zipmap begins with the number of pairs, or with at least 254 if
// there are more. It ends with 0xFF. A pair has the length of the field, the field, the length of the value,
// and a number. Then come the value, and as many unused bytes as the number says.
//
// Source: https://github.com/redis/redis/blob/7.0/src/zipmap.c
func Zipmap(b []byte, do func(Element) (expected string)) (at int, expected string) {
	if len(b) < 2 {
		return 0, "a zipmap"
	}
	pairs, isValue := 0, false
	for at = 1; at < len(b) && b[at] != packedEnd; isValue = !isValue {
		from, size, after := zipmapText(b[at:], isValue)
		if from == 0 || at+from+size+after >= len(b) {
			return at, "an element of a zipmap"
		}
		if expected = do(Element{Text: b[at+from : at+from+size : at+from+size]}); expected != "" {
			return at, expected
		}
		if at += from + size + after; isValue {
			pairs++
		}
	}
	switch {
	case at != len(b)-1, isValue:
		return min(at, len(b)-1), "the end of a zipmap"
	case b[0] < zipmapLong && int(b[0]) != pairs:
		return 0, "the number of pairs of a zipmap"
	}
	return 0, ""
}

// zipmapText returns where the text at the start of b begins, its size, and the number of unused bytes after
// it. from is 0 if b is too short.
func zipmapText(b []byte, isValue bool) (from, size, after int) {
	from, size = 1, int(b[0])
	if size == zipmapLong {
		if len(b) < 5 {
			return 0, 0, 0
		}
		from, size = 5, int(binary.LittleEndian.Uint32(b[1:]))
	}
	if isValue {
		if len(b) <= from {
			return 0, 0, 0
		}
		after = int(b[from])
		from++
	}
	return from, size, after
}
