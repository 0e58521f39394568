package store

import "math"

// A cell has 24 bits of access history, as in Redis. With LRU they hold the second of the last use.
// With LFU they hold the minute of the last decay and a logarithmic counter.
const (
	lruMask    = 1<<24 - 1
	lfuInitial = 5
	lfuMinutes = 1<<16 - 1
)

// counterAt returns the use counter of an access history at now (Unix nanoseconds). It falls by one
// after decay idle minutes, or never if decay is 0.
func counterAt(access uint32, now int64, decay uint32) uint32 {
	n := access & 0xff
	if decay == 0 {
		return n
	}
	idle := (uint32(now/60e9) - access>>8) & lfuMinutes
	return n - min(n, idle/decay)
}

// counterAfterUse returns the use counter n after one more use. The larger n and logFactor are, the
// more rarely it rises.
func counterAfterUse(n uint32, logFactor int64, random uint64) uint32 {
	p := 1 / (float64(max(n, lfuInitial)-lfuInitial)*float64(logFactor) + 1)
	if n < math.MaxUint8 && float64(random>>11)/(1<<53) < p {
		n++
	}
	return n
}
