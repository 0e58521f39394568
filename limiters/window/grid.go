package window

import "math"

// farthest is the last time that an int64 holds, in ns since the epoch: in the year 2262.
const farthest = math.MaxInt64

// floorTo returns the largest multiple of unit that is at most n. ok reports whether it fits an int64.
func floorTo(n, unit int64) (floor int64, ok bool) {
	r := n % unit
	if r < 0 {
		r += unit
	}
	return n - r, n-r <= n
}
