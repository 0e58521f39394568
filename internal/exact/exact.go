package exact

import (
	"math"
	"math/bits"
)

// Add returns a + b. ok reports whether the sum fits an int64.
func Add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

// Plus returns a + b. If the sum does not fit, it returns the nearest int64.
func Plus(a, b int64) int64 {
	sum, ok := Add(a, b)
	switch {
	case ok:
		return sum
	case b > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}

// Mul returns a * b, for b >= 0. ok reports whether the product fits an int64.
func Mul(a, b int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// As unsigned, a negative a is 2^64 too large, so hi is too large by b.
	signedHi := int64(hi) - a>>63&b
	return int64(lo), signedHi == int64(lo)>>63
}

// MulDiv returns a*b/c rounded down, for a, b >= 0 and c > 0. a*b may exceed an int64. whole reports whether
// the division has no remainder. ok reports whether the quotient fits an int64.
func MulDiv(a, b, c int64) (quotient int64, whole, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 0, false, false
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	return int64(q), r == 0, q <= math.MaxInt64
}

// CeilDiv returns a/b rounded up, for b > 0.
func CeilDiv(a, b int64) int64 {
	quotient := a / b
	if a%b > 0 {
		quotient++
	}
	return quotient
}

// Since returns to - from, for to >= from. If the difference does not fit, it returns the largest int64.
func Since(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
