package fs

import "golang.org/x/sys/unix"

// DropCache implements [DropCache] with posix_fadvise(2). The page cache consists of folios of up
// to some MB, and the kernel drops only whole ones.
func (f osFile) DropCache(from, n int64) {
	// An error only means that the kernel keeps the bytes longer.
	_ = unix.Fadvise(int(f.Fd()), from, n, unix.FADV_DONTNEED)
}
