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

// lenderOf is a lender where there are so many processors, until the test ends.
func lenderOf(t *testing.T, n int) *lender {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	return newLender()
}

// settled waits until nobody is about to change the number of processors, and returns it.
func (l *lender) settled() int {
	for {
		l.mu.Lock()
		setting := l.setting
		l.mu.Unlock()
		if !setting {
			return runtime.GOMAXPROCS(0)
		}
		runtime.Gosched()
	}
}

// TestADiskThatIsWaitedForKeepsNobodyElse wants the only processor to have a second beside it while a call waits for the
// disk, however many do, whatever they end with, and no longer.
func TestADiskThatIsWaitedForKeepsNobodyElse(t *testing.T) {
	l, fault := lenderOf(t, 1), errors.New("fault")
	require.ErrorIs(t, l.during(func() error {
		require.Equal(t, 2, l.settled())
		require.NoError(t, l.during(func() error { return nil }))
		require.Equal(t, 2, l.settled())
		return fault
	}), fault)
	require.Equal(t, 1, l.settled())
	require.Panics(t, func() { l.during(func() error { panic("a fault") }) })
	require.Equal(t, 1, l.settled())

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				require.NoError(t, l.during(func() error {
					require.NotEqual(t, 1, l.settled())
					return nil
				}))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, l.settled())
}

// TestSeveralProcessorsStayAsMany: one of them is free for a call that waits.
func TestSeveralProcessorsStayAsMany(t *testing.T) {
	l := lenderOf(t, 3)
	require.NoError(t, l.during(func() error {
		require.Equal(t, 3, l.settled())
		return nil
	}))
}

// TestACallGoesOnWithoutItsProcessor, for that may come late: while garbage is collected.
func TestACallGoesOnWithoutItsProcessor(t *testing.T) {
	l, called := &lender{alone: true, setting: true}, false // by somebody who never does
	require.NoError(t, l.during(func() error {
		called = true
		return nil
	}))
	require.True(t, called)
}

// TestFilesWithOneProcessor does with it all that waits for the disk.
func TestFilesWithOneProcessor(t *testing.T) {
	before := spare
	spare = lenderOf(t, 1)
	defer func() { spare = before }()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := filepath.Join(dir, string(rune('a'+i)))
			for range 20 {
				f, err := OS{}.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
				require.NoError(t, err)
				require.NoError(t, errors.Join(Aside(f.Sync), f.Close(), OS{}.Rename(name, name+"2"), OS{}.Remove(name+"2"), OS{}.SyncDir(dir)))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, spare.settled())
}
