//go:build amd64 || arm64

package memory

import "unsafe"

// Prefetch asks the processor to load the cache line at line, and the cache lines of the 64
// bytes at bytes. It returns at once and accepts any address, also nil.
//
//go:noescape
func Prefetch(line, bytes unsafe.Pointer)
