// Command barehttp answers every request of HTTP with a constant. tests/bench compares cellserver with it.
//
// There are no locks.
package main
