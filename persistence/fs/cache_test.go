package fs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteToCacheWritesAsWriteDoes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := OS{}.Open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	require.NoError(t, err)
	var want []byte
	for _, size := range []int{0, 1, 4096, 256 << 10, 256<<10 + 1, 3} {
		p := bytes.Repeat([]byte{byte(size)}, size)
		n, err := WriteToCache(f, p)
		require.NoError(t, err)
		require.Equal(t, size, n)
		want = append(want, p...)
	}
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))

	readable, err := OS{}.Open(name, os.O_RDONLY)
	require.NoError(t, err)
	_, err = WriteToCache(readable, []byte("x"))
	require.ErrorContains(t, err, "bad file descriptor")
	require.NoError(t, readable.Close())
	require.NoError(t, f.Close())
	_, err = WriteToCache(f, []byte("x"))
	require.ErrorIs(t, err, os.ErrClosed)
}

// A disk without room writes a part, and then says that it is full.
func TestWriteToCacheOnAFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0) // Open takes no device
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	_, err = WriteToCache(osFile{full}, []byte("x"))
	require.ErrorContains(t, err, "no space left")
}
