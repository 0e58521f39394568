// Package pieces copies long slices in pieces. The runtime cannot stop a goroutine while it copies. To
// collect garbage, it must stop all of them for a moment, and those that have stopped wait for the last one.
// A copy of 100 MB would keep all clients waiting for 50 ms.
//
// Invariant: the result is that of copy.
//
// The package takes no locks.
package pieces
