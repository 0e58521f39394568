package fs

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// processors sets their number for a test.
func processors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestADiskThatIsWaitedForKeepsNobodyElse wants the only processor to have a second beside it while a call waits for the
// disk, however many do, whatever they end with, and no longer.
func TestADiskThatIsWaitedForKeepsNobodyElse(t *testing.T) {
	processors(t, 1)
	fault := errors.New("fault")
	require.ErrorIs(t, aside(func() error {
		require.Equal(t, 2, runtime.GOMAXPROCS(0))
		require.NoError(t, aside(func() error { return nil }))
		require.Equal(t, 2, runtime.GOMAXPROCS(0))
		return fault
	}), fault)
	require.Equal(t, 1, runtime.GOMAXPROCS(0))
	require.Panics(t, func() { aside(func() error { panic("a fault") }) })
	require.Equal(t, 1, runtime.GOMAXPROCS(0))

	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := filepath.Join(dir, string(rune('a'+i)))
			for range 20 {
				f, err := OS{}.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
				require.NoError(t, err)
				require.NoError(t, errors.Join(f.Sync(), f.Close(), OS{}.Rename(name, name+"2"), OS{}.Remove(name+"2"), OS{}.SyncDir(dir)))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, runtime.GOMAXPROCS(0))
}

// TestSeveralProcessorsStayAsMany: one of them is free for a call that waits.
func TestSeveralProcessorsStayAsMany(t *testing.T) {
	processors(t, 3)
	require.NoError(t, aside(func() error {
		require.Equal(t, 3, runtime.GOMAXPROCS(0))
		return nil
	}))
	require.Equal(t, 3, runtime.GOMAXPROCS(0))
}
