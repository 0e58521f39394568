//go:build !linux

package store

// blocksOnHeap says that blocks are the garbage collector's, after all.
const blocksOnHeap = true

func mapped(n int) []byte { return make([]byte, n) }
func unmap([]byte)        {}
func bare([]byte)         {}
