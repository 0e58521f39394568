// Command barehttp answers every request of HTTP with a constant. tests/bench compares cellserver with it.
//
// Invariant: every reply is the same.
//
// There are no locks.
package main
