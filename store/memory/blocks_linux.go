package memory

import "syscall"

const (
	// OnHeap reports whether blocks lie in Go's heap, where the garbage collector frees them.
	OnHeap     = false
	chunkBytes = 64 * BlockBytes // mapped at a time
)

// mapped returns n zero bytes, nil if the system refuses. They take memory page by page, when they are
// written to. Huge pages are off: they would give memory to the spare room of every block.
func mapped(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	_ = syscall.Madvise(b, syscall.MADV_NOHUGEPAGE) // a kernel without huge pages refuses
	return b
}

func unmap(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic("store: cannot unmap memory: " + err.Error())
	}
}

// gives reports whether the system would map n bytes at this moment.
func gives(n int) bool {
	b := mapped(n)
	if b == nil {
		return false
	}
	unmap(b)
	return true
}

// dropPages gives the pages of b back to the system. They then read as zeros.
func dropPages(b []byte) {
	if err := syscall.Madvise(b, syscall.MADV_DONTNEED); err != nil {
		panic("store: cannot give memory back: " + err.Error())
	}
}
