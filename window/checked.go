package window

import (
	"math"
	"math/bits"
)

// farthest is the last moment there is, in ns since the epoch: in the year 2262.
const farthest = math.MaxInt64

// mulDiv is a*b/c rounded down, for a, b >= 0 and c > 0, exact however large a*b is; whole
// says whether nothing was cut off. The quotient must fit, as it does where a or b is at most c.
func mulDiv(a, b, c int64) (quotient int64, whole bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(hi, lo, uint64(c))
	return int64(q), r == 0
}

// floorTo is the greatest multiple of unit that is not above n; ok says whether it fits.
func floorTo(n, unit int64) (floor int64, ok bool) {
	r := n % unit
	if r < 0 {
		r += unit
	}
	return n - r, n-r <= n
}

// since is to - from for to >= from, or the greatest int64 where it does not fit.
func since(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
