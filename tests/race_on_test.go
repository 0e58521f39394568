//go:build race && unix

package tests

// The race detector takes memory, too.
func init() { waitingMemory *= 2 }
