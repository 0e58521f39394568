package store

import "syscall"

const (
	blocksOnHeap = false           // the garbage collector knows nothing of them
	chunkBytes   = 64 * blockBytes // how much is mapped at a time
)

// mapped returns zero bytes that take memory page by page as they are written to: not in
// huge pages, which would take the room that a segment spares.
func mapped(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("store: out of memory: " + err.Error())
	}
	_ = syscall.Madvise(b, syscall.MADV_NOHUGEPAGE) // a kernel without huge pages refuses
	return b
}

func unmap(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic("store: " + err.Error())
	}
}

// bare gives the pages of b back: they read as zeros until they are written to again.
func bare(b []byte) {
	if err := syscall.Madvise(b, syscall.MADV_DONTNEED); err != nil {
		panic("store: " + err.Error())
	}
}
