// Package counttest is a store of counters for tests, in memory and with a clock that a test moves.
//
// store.go has the store.
//
// Invariants: the store counts fixed windows only. The count of a window does not wrap.
//
// One lock guards all of a store.
package counttest
