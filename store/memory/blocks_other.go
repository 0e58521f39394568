//go:build !linux

package memory

const (
	// OnHeap reports whether blocks lie in Go's heap, where the garbage collector frees them.
	OnHeap     = true
	chunkBytes = BlockBytes // one block a chunk, so that each is freed alone
)

func mapped(n int) []byte { return make([]byte, n) }
func unmap([]byte)        {}
func dropPages([]byte)    {}

// gives reports whether n bytes are fewer than any machine has. The system itself is not asked.
func gives(n int) bool { return uint64(n) < 1<<40 }
