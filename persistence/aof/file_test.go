package aof

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/persistence/fs"
)

// cacheFile is a file that keeps the calls of DropCache.
type cacheFile struct {
	fs.File
	broken  bool
	dropped [][2]int64
}

func (f *cacheFile) Sync() error {
	if f.broken {
		return errors.New("no sync")
	}
	return nil
}

func (f *cacheFile) DropCache(from, n int64) { f.dropped = append(f.dropped, [2]int64{from, n}) }

// A sync leaves the last 64 MB of a file in the page cache, and up to 4 MB more. It drops no byte twice.
func TestSyncDropsCache(t *testing.T) {
	const mb = 1 << 20
	disk := &cacheFile{}
	f := &File{file: disk}
	for _, step := range []struct {
		size   int64
		broken bool
		drops  [][2]int64
	}{
		{size: 68*mb - 1},
		{size: 68 * mb, drops: [][2]int64{{0, 4 * mb}}},
		{size: 68 * mb},
		{size: 72*mb - 1},
		{size: 100*mb + 5, drops: [][2]int64{{4 * mb, 32 * mb}}},
		{size: 104 * mb, drops: [][2]int64{{36 * mb, 4 * mb}}},
		{size: 200 * mb, broken: true},
	} {
		f.size.Store(step.size)
		disk.broken, disk.dropped = step.broken, nil
		require.Equal(t, step.broken, f.sync() != nil)
		require.Equal(t, step.drops, disk.dropped, "at %d bytes", step.size)
	}
}
