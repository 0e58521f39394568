package persistence

import "sync/atomic"

// failures counts the attempts in a row that have failed. The server tries again every few seconds, so most of
// them have no line in the log.
type failures struct{ atomic.Int64 }

// next counts one more failure. It reports whether the log has a line for it: the failures 1, 2, 4, 8 … have one.
func (f *failures) next() (n int64, hasLine bool) {
	n = f.Add(1)
	return n, n&(n-1) == 0
}
