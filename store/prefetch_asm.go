//go:build amd64 || arm64

package store

import "unsafe"

// prefetch asks for what will be read soon: a cache line, and the cache lines of 64 bytes. It waits
// for nothing, and takes any address.
//
//go:noescape
func prefetch(line, bytes unsafe.Pointer)
