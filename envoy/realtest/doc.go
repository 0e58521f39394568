// Package realtest sends HTTP through a real Envoy that asks our service. It has tests only.
//
// The script fetch downloads the Envoy.
//
// Invariant: every program ends with its test.
//
// It has no locks.
package realtest
