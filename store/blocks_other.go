//go:build !linux

package store

const (
	blocksOnHeap = true       // the garbage collector frees them
	chunkBytes   = blockBytes // so each is on its own
)

func mapped(n int) []byte { return make([]byte, n) }
func unmap([]byte)        {}
func bare([]byte)         {}
