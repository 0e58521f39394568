// Package exact is arithmetic in int64 that is right or says that it cannot be: limits, and
// nanoseconds since the epoch, come near its ends (the year 2262).
package exact

import (
	"math"
	"math/bits"
)

// Add adds; ok says whether the sum fits.
func Add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

// Plus is a + b, or the integer that is nearest to it where that does not fit.
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

// Mul multiplies for b >= 0; ok says whether the product fits.
func Mul(a, b int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Read as unsigned, a negative a is 2^64 too large, which puts b too much into hi.
	signedHi := int64(hi) - a>>63&b
	return int64(lo), signedHi == int64(lo)>>63
}

// MulDiv is a*b/c rounded down, and whether nothing was cut off, for a, b >= 0 and c > 0,
// however large a*b is; ok says whether the quotient fits.
func MulDiv(a, b, c int64) (quotient int64, whole, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 0, false, false
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	return int64(q), r == 0, q <= math.MaxInt64
}

// CeilDiv is a/b rounded towards positive infinity, for b > 0.
func CeilDiv(a, b int64) int64 {
	quotient := a / b
	if a%b > 0 {
		quotient++
	}
	return quotient
}

// Since is to - from for to >= from, or the greatest int64 where it does not fit.
func Since(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
