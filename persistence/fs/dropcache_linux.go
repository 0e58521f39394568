package fs

import "golang.org/x/sys/unix"

// DropCache implements [DropCache] with posix_fadvise(2). The kernel drops only whole folios of the page
// cache, so up to some MB at both ends of the range may stay.
func (f osFile) DropCache(from, n int64) {
	_ = unix.Fadvise(int(f.Fd()), from, n, unix.FADV_DONTNEED) // after an error the bytes stay longer
}
