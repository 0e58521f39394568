//go:build race

package servertest

// A sync.Pool forgets memory at random under the race detector, so that programs do not rely on it.
const poolsForget = true
