package fs

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxQuick is the most bytes that writeToCache writes by a call that the runtime does not know. A garbage collection waits
// for the end of such a call.
const maxQuick = 256 << 10

// writeToCache is Write without telling the Go runtime. The kernel copies the bytes into its cache, which takes some
// microseconds. The runtime assumes that every system call may wait. In an idle process it then wakes its monitor,
// which costs more than the write.
//
// If the disk is so slow that the kernel holds writers back, the next garbage collection waits for this one. Then the
// process stands still until the kernel has room. Call writeToCache only where the clients wait for the write anyway.
func (f osFile) writeToCache(p []byte) (n int, err error) {
	if len(p) <= maxQuick {
		written, _, no := syscall.RawSyscall(syscall.SYS_WRITE, f.Fd(), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		runtime.KeepAlive(f.File)
		if no == 0 {
			n = int(written)
		}
		if n == len(p) {
			return n, nil
		}
	}
	rest, err := f.Write(p[n:]) // writes the rest, or says why that is not possible
	return n + rest, err
}

// DropCache implements [DropCache] with posix_fadvise(2). The page cache consists of folios of up
// to some MB, and the kernel drops only whole ones.
func (f osFile) DropCache(from, n int64) {
	_ = unix.Fadvise(int(f.Fd()), from, n, unix.FADV_DONTNEED) // only advice: without it the kernel keeps the bytes longer
}
