package fs

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestDropCache(t *testing.T) {
	const size = 16 << 20 // bytes; the kernel drops only whole folios, of up to some MB
	pages := size / os.Getpagesize()
	name := filepath.Join(t.TempDir(), "file")
	f, err := OS{}.Open(name, os.O_RDWR|os.O_CREATE)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Write(make([]byte, size))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.Equal(t, pages, cached(t, name, size), "all pages are in the cache")

	DropCache(f, 0, size/2)
	stay := pages / 2
	if onTmpfs(t, name) { // the cache is the only place of the file
		stay = pages
	}
	require.Equal(t, stay, cached(t, name, size), "pages in the page cache after DropCache")
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, make([]byte, size), got)
}

// cached returns how many pages of a file are in the page cache, by mincore(2).
func cached(t *testing.T, name string, size int) (n int) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	at, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	require.NoError(t, err)
	defer syscall.Munmap(at)
	in := make([]byte, size/os.Getpagesize())
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(&at[0])), uintptr(size), uintptr(unsafe.Pointer(&in[0])))
	require.Zero(t, errno)
	for _, page := range in {
		n += int(page & 1)
	}
	return n
}

// onTmpfs reports whether a file is in memory only.
func onTmpfs(t *testing.T, name string) bool {
	const tmpfs = 0x01021994
	var st syscall.Statfs_t
	require.NoError(t, syscall.Statfs(name, &st))
	return int64(st.Type) == tmpfs
}
