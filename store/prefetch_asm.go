//go:build amd64 || arm64

package store

import "unsafe"

// prefetch asks for the cache lines of 64 bytes that will be read soon. It waits for nothing, and
// takes any address.
//
//go:noescape
func prefetch(p unsafe.Pointer)
