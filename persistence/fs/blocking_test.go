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

// withProcessors returns an extraProcessor for a process with n processors, until the test ends.
func withProcessors(t *testing.T, n int) *extraProcessor {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	return newExtraProcessor()
}

// settled waits until no goroutine changes the number of processors, and returns the number.
func (p *extraProcessor) settled() int {
	for {
		p.mu.Lock()
		changing := p.changing
		p.mu.Unlock()
		if !changing {
			return runtime.GOMAXPROCS(0)
		}
		runtime.Gosched()
	}
}

// TestASecondProcessorDuringCalls requires two processors while calls wait, whatever the calls end with, and one
// processor afterwards.
func TestASecondProcessorDuringCalls(t *testing.T) {
	p, fault := withProcessors(t, 1), errors.New("fault")
	require.ErrorIs(t, p.during(func() error {
		require.Equal(t, 2, p.settled())
		require.NoError(t, p.during(func() error { return nil }))
		require.Equal(t, 2, p.settled())
		return fault
	}), fault)
	require.Equal(t, 1, p.settled())
	require.Panics(t, func() { p.during(func() error { panic("a fault") }) })
	require.Equal(t, 1, p.settled())

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				require.NoError(t, p.during(func() error {
					require.NotEqual(t, 1, p.settled())
					return nil
				}))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, p.settled())
}

// TestSeveralProcessorsStay requires that a process with three processors keeps three, except during BesideOthers.
func TestSeveralProcessorsStay(t *testing.T) {
	before := extra
	extra = withProcessors(t, 3)
	defer func() { extra = before }()
	require.NoError(t, BlockingCall(func() error {
		require.Equal(t, 3, extra.settled())
		return nil
	}))
	fault := errors.New("fault")
	require.ErrorIs(t, BesideOthers(func() error {
		require.Equal(t, 4, extra.settled())
		return fault
	}), fault)
	require.Equal(t, 3, extra.settled())
}

// TestTheNumberOfProcessorsMayChange requires that a call keeps a number that the runtime has changed since the start.
func TestTheNumberOfProcessorsMayChange(t *testing.T) {
	p := withProcessors(t, 2)
	runtime.GOMAXPROCS(4)
	require.NoError(t, p.during(func() error {
		require.Equal(t, 5, p.settled())
		return nil
	}))
	require.Equal(t, 4, p.settled())
}

// TestACallDoesNotWaitForTheProcessor requires that a call begins without the second processor, which comes late
// during a garbage collection.
func TestACallDoesNotWaitForTheProcessor(t *testing.T) {
	p, called := withProcessors(t, 1), false
	p.changing = true // the change never ends
	require.NoError(t, p.during(func() error {
		called = true
		return nil
	}))
	require.True(t, called)
}

// TestFilesWithOneProcessor runs all operations that wait for the disk.
func TestFilesWithOneProcessor(t *testing.T) {
	before := extra
	extra = withProcessors(t, 1)
	defer func() { extra = before }()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := filepath.Join(dir, string(rune('a'+i)))
			for range 20 {
				f, err := OS{}.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
				require.NoError(t, err)
				require.NoError(t, errors.Join(BlockingCall(f.Sync), f.Close(), OS{}.Rename(name, name+"2"), OS{}.Remove(name+"2"), OS{}.SyncDir(dir)))
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, extra.settled())
}
