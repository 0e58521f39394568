// Package adaptive finds how many calls a service takes at once, from the latencies and drops of its callers.
//
// It is a pure function of (state, window, options). The caller counts the calls of a window, keeps the
// state, and stores what [Options.Next] returns. The package knows no clock, no key, no bytes and no lock.
//
// # Files
//
//	options.go    the parameters of a limit, and their bounds
//	window.go     what the callers of one window have seen
//	state.go      what an algorithm remembers from window to window
//	aimd.go       adds one, and takes a tenth off
//	vegas.go      estimates the queue from the least latency
//	gradient2.go  compares the latency with its long average
//	gradient.go   compares the latency with a base, and tests whether a service is slower
//	meter.go      counts the window that is open
//	partition.go  shares of a limit
//
// # The numbers
//
// All numbers are integers. A limit is in 1/65,536 of a call, and a latency in nanoseconds. A division rounds
// toward zero. A latency counts as at most [LongestLatency].
//
// Invariants: no input panics or overflows. The next limit is within the bounds of the options. A decision
// depends on the arguments alone. There are no locks.
//
// # Sources
//
// Netflix, concurrency-limits: https://github.com/Netflix/concurrency-limits. Its AIMD, Vegas and Gradient2
// are here in integers. Vegas draws the moment of its probe at random there, and is three quarters of the
// longest wait here. GRADIENT is our own.
package adaptive
