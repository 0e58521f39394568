package gcra

import (
	"math"
	"math/bits"
)

// CeilDiv is a/b rounded towards positive infinity, for b > 0. A TAT in
// nanoseconds becomes the millisecond at which its key may expire by
// CeilDiv(tat, 1e6).
func CeilDiv(a, b int64) int64 {
	quotient := a / b
	if a%b > 0 {
		quotient++
	}
	return quotient
}

// CeilSeconds turns nanoseconds into whole seconds, rounded up, so that a client
// which sleeps them never comes too early. -1, "never", stays -1.
func CeilSeconds(ns int64) int64 {
	if ns == never {
		return never
	}
	return CeilDiv(ns, nanosPerSecond)
}

// mul multiplies for b >= 0; ok says whether the product fits.
func mul(a, b int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Read as unsigned, a negative a is 2^64 too large, which puts b too much into hi.
	signedHi := int64(hi) - a>>63&b
	return int64(lo), signedHi == int64(lo)>>63
}

// add adds; ok says whether the sum fits.
func add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

// since is to - from for to >= from, or the greatest int64 where it does not fit.
func since(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
