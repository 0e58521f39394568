package decimal

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// Append appends the digits of n, after '-' if n is negative.
func Append(dst []byte, n int64) []byte {
	switch u := uint64(n); {
	case u < 10:
		return append(dst, '0'+byte(u))
	case u < 100:
		return append(dst, '0'+byte(u/10), '0'+byte(u%10))
	case u < 1e8:
		digits := eight(u)
		leading := bits.TrailingZeros64(digits) &^ 7
		end := len(dst) + 8 - leading/8
		return binary.LittleEndian.AppendUint64(dst, (digits|eightZeros)>>leading)[:end]
	case n > 0:
		return binary.LittleEndian.AppendUint64(Append(dst, n/1e8), eight(u%1e8)|eightZeros)
	}
	return strconv.AppendInt(dst, n, 10)
}

// Put8 writes n to the first eight bytes of dst, with leading zeros. n must be less than 1e8.
func Put8(dst []byte, n uint64) { binary.LittleEndian.PutUint64(dst, eight(n)|eightZeros) }

// eightZeros turns eight numbers below ten into digits.
const eightZeros = 0x3030303030303030

// eight returns the eight digits of n as numbers, one in each byte, the highest digit in the lowest byte. n
// must be less than 1e8. Each step splits all parts in two at once. A multiplication and a shift divide a
// number below 10,000 by 100, and a number below 100 by 10.
func eight(n uint64) uint64 {
	parts := n/10_000 | n%10_000<<32 // two parts of four digits
	high := parts * 5243 >> 19 & 0x0000007f_0000007f
	parts = high | (parts-100*high)<<16 // four parts of two digits
	high = parts * 103 >> 10 & 0x000f_000f_000f_000f
	return high | (parts-10*high)<<8
}

// Parse reads an int64 in the canonical decimal form, as Redis stores an integer. It reports false for any
// other text, such as "007", "+1" and "-0".
func Parse(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) >= 8 || b[0]-'1' > 8 {
		return parseRest(b)
	}
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// parseRest is Parse for zero, negative and large integers.
func parseRest(b []byte) (int64, bool) {
	d := b
	if len(b) > 0 && b[0] == '-' {
		d = b[1:]
	}
	if len(d) == 0 || len(d) > 19 || d[0] == '0' && len(b) > 1 {
		return 0, false
	}
	negative := len(d) < len(b)
	var n uint64 // 19 digits fit
	for ; len(d) >= 8; d = d[8:] {
		part, ok := parseEight(binary.LittleEndian.Uint64(d))
		if !ok {
			return 0, false
		}
		n = n*1e8 + part
	}
	for _, c := range d {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	switch {
	case n < 1<<63 && !negative:
		return int64(n), true
	case n <= 1<<63 && negative:
		return -int64(n), true
	}
	return 0, false
}

// parseEight reads eight digits, the highest in the lowest byte. Each step joins all pairs of parts at once.
func parseEight(digits uint64) (n uint64, ok bool) {
	n = digits - eightZeros
	if (n|(digits+0x46_46_46_46_46_46_46_46))&0x80_80_80_80_80_80_80_80 != 0 { // below '0', or above '9'
		return 0, false
	}
	n = n * (10<<8 + 1) >> 8 & 0x00ff_00ff_00ff_00ff
	n = n * (100<<16 + 1) >> 16 & 0x0000ffff_0000ffff
	return n * (10_000<<32 + 1) >> 32, true
}
