package window

import "math"

// farthest is the last moment there is, in ns since the epoch: in the year 2262.
const farthest = math.MaxInt64

// floorTo is the greatest multiple of unit that is not above n; ok says whether it fits.
func floorTo(n, unit int64) (floor int64, ok bool) {
	r := n % unit
	if r < 0 {
		r += unit
	}
	return n - r, n-r <= n
}
