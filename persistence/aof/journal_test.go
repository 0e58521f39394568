package aof

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for an event that must come.
const patience = time.Minute

func TestSteadyStateAllocatesNothing(t *testing.T) {
	dir, err := Open(fs.OS{}, t.TempDir(), "d", "f")
	require.NoError(t, err)
	require.NoError(t, dir.Create())
	f, err := dir.NewFile()
	require.NoError(t, err)
	s, journal := newStore(), NewJournal(Never, func(err error) { t.Error(err) })
	s.Observe(journal)
	journal.Switch(f)
	tx, key, n := s.NewTx(), []byte("user:1"), int64(0)
	var fp store.Footprint
	fp.AddKey(key)
	change := func() {
		n++
		tx.Begin(now, 0, &fp)
		e := tx.Write(key)
		e.SetInt(now+n, now/1e6+1)
		tx.End()
		journal.Wait(journal.Mark())
	}
	for range 10 {
		change()
	}
	require.Zero(t, testing.AllocsPerRun(1000, change))
	journal.Stop()
}

// TestAcknowledgedChangesAreInTheFiles has many goroutines write at once, under each policy, while
// files are switched. Every change after which Wait returned must be in the files; with Always, also after a
// power cut.
func TestAcknowledgedChangesAreInTheFiles(t *testing.T) {
	for _, p := range []Policy{EverySecond, Always, Never} {
		files := memory()
		l := start(t, files, p)
		var acknowledged [8]atomic.Int64
		var stop atomic.Bool
		var running sync.WaitGroup
		for w := range acknowledged {
			running.Go(func() {
				for n := int64(1); !stop.Load(); n++ {
					mark := l.journal.Mark()
					set(l.store, fmt.Sprint("worker:", w), n)
					if l.journal.Wait(mark) {
						acknowledged[w].Store(n)
					}
				}
			})
		}
		for round := range 20 {
			if round%4 == 3 {
				l.switchFile()
			}
			l.journal.Tick(int64(round) * 4e8)
			var least [len(acknowledged)]int64
			for w := range acknowledged {
				least[w] = acknowledged[w].Load()
			}
			after := files.Kill()
			if p == Always {
				after = files.PowerCut(nil)
			}
			again, _, err := load(t, after)
			require.NoError(t, err)
			for w, n := range least {
				require.GreaterOrEqual(t, number(again.store, fmt.Sprint("worker:", w)), n)
			}
		}
		stop.Store(true)
		running.Wait()
		l.journal.Stop()
		require.NoError(t, l.err)
		again, _, err := load(t, files.PowerCut(nil))
		require.NoError(t, err)
		requireSame(t, contents(l.store), contents(again.store))
	}
}

// switchFile continues the log in another file.
func (l *log) switchFile() {
	f, err := l.dir.NewFile()
	require.NoError(l.t, err)
	require.NoError(l.t, l.dir.Append(f))
	snapshot, err := l.store.Snapshot(now, func() { l.journal.Switch(f) })
	require.NoError(l.t, err)
	snapshot.Close()
	l.journal.Flush()
}

// number returns the integer at a key, or 0.
func number(s *store.Store, key string) (n int64) {
	write(s, now, func(tx *store.Tx) {
		e := tx.Peek([]byte(key))
		n = e.Int()
	})
	return n
}

// slow is a file system whose syncs wait for the gate.
type slow struct {
	fs.FS
	gate chan struct{}
}

type slowFile struct {
	fs.File
	gate chan struct{}
}

func (s slow) Open(name string, flag int) (fs.File, error) {
	f, err := s.FS.Open(name, flag)
	return slowFile{f, s.gate}, err
}

func (f slowFile) Sync() error {
	<-f.gate
	return f.File.Sync()
}

// TestASlowDiskDelaysReplies requires that replies wait if more than two seconds of changes
// could be lost, and not before.
func TestASlowDiskDelaysReplies(t *testing.T) {
	gate := make(chan struct{}, 100)
	for range 10 {
		gate <- struct{}{}
	}
	l := start(t, slow{memory(), gate}, EverySecond)
	for len(gate) > 0 {
		<-gate
	}
	at := int64(1e10)
	tick := func(seconds float64) {
		for range int(seconds * 10) {
			at += 1e8
			l.journal.Tick(at)
		}
	}
	tick(1)
	set(l.store, "a", 1)
	tick(1.5) // a sync has begun
	l.commit()
	require.True(t, l.journal.Syncing())
	tick(0.5)
	waited := make(chan struct{})
	go func() {
		l.journal.Wait(0)
		close(waited)
	}()
	select {
	case <-waited:
		t.Fatal("Wait did not wait for the disk")
	case <-time.After(20 * time.Millisecond):
	}
	gate <- struct{}{}
	select {
	case <-waited:
	case <-time.After(patience):
		t.Fatal("Wait did not return after the sync")
	}
	require.EqualValues(t, 1, l.journal.Delayed())
	close(gate)
	l.journal.Stop()
}

// TestNoReplyWhileAFailureBecomesKnown: a change that comes when the journal records no more, and before the failure is
// known, is not acknowledged.
func TestNoReplyWhileAFailureBecomesKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := memory()
		l := start(t, files, Always)
		set(l.store, "before", 1)
		l.commit()
		files.Fault = func(op fstest.Op) error {
			if op.Kind == "sync" && strings.HasSuffix(op.Path, "1.incr.aof") {
				return fmt.Errorf("no")
			}
			return nil
		}
		safe := make(chan bool, 1)
		l.journal.onFailure = func(error) {
			mark := l.journal.Mark()
			set(l.store, "meanwhile", 1)
			go func() { safe <- l.journal.Wait(mark) }()
			synctest.Wait()
		}
		l.switchFile()
		require.False(t, <-safe)
		again, _, err := load(t, files.PowerCut(nil))
		require.NoError(t, err)
		require.Zero(t, number(again.store, "meanwhile"))
	})
}

// TestOneFailedSyncFailsAll: the kernel tells a failed sync once, for example to the one of a snapshot. The sync that
// comes next, before the snapshot gives the file up, must not report the lost bytes as safe.
func TestOneFailedSyncFailsAll(t *testing.T) {
	files := memory()
	l := start(t, files, EverySecond)
	set(l.store, "a", 1)
	l.commit()
	files.Fault = func(op fstest.Op) error {
		if op.Kind != "sync" {
			return nil
		}
		files.Fault = nil
		return &fstest.Forgotten{Err: fmt.Errorf("no")}
	}
	require.Error(t, l.journal.Current().sync())
	l.switchFile()
	require.Error(t, l.err)
	require.False(t, l.journal.Recording())
}

// A write that panics may have lost what it took. It is a failure, so a guard that goes on acknowledges nothing.
func TestAWriteThatPanicsFails(t *testing.T) {
	files := memory()
	l := start(t, files, Always)
	mark := l.journal.Mark()
	set(l.store, "a", 1)
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			panic("a fault of the code")
		}
		return nil
	}
	require.Panics(t, func() { l.journal.Wait(mark) })
	files.Fault = nil
	require.False(t, l.journal.Wait(mark))
	require.ErrorIs(t, l.err, errPanicked)
	require.False(t, l.journal.Recording())
}

func TestMissedChangesAreCounted(t *testing.T) {
	files := memory()
	l := start(t, files, Never)
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			return fmt.Errorf("no")
		}
		return nil
	}
	set(l.store, "a", 1)
	l.commit()
	require.Error(t, l.err)
	require.False(t, l.journal.Recording())
	require.Zero(t, l.journal.Missed())
	set(l.store, "b", 1)
	l.commit()
	require.EqualValues(t, 1, l.journal.Missed())
}

// TestWhatWaitsIsBounded: while the journal is full, a client writes what has collected before it changes more.
func TestWhatWaitsIsBounded(t *testing.T) {
	l := start(t, memory(), Never)
	value := make([]byte, 1<<20)
	put := func() {
		if l.journal.Full() {
			l.journal.Relieve()
			require.False(t, l.journal.Full())
		}
		write(l.store, now, func(tx *store.Tx) { e := tx.Write([]byte("k")); e.SetBytes(value, store.NoExpiry) })
	}
	set(l.store, "small", 1)
	require.Zero(t, l.journal.Held(), "a few bytes are not counted")
	for n := range 100 {
		put()
		require.Less(t, l.journal.Held(), int64(maxCollected+len(value)+1000))
		if n == 6 {
			require.Greater(t, l.journal.Held(), int64(7*len(value)), "less than the bound waits")
			require.Zero(t, l.journal.Size())
		}
	}
	require.Greater(t, l.journal.Size(), int64(90*len(value)))
	l.commit()
	require.Zero(t, l.journal.Held())
	put()
	l.journal.Discard()
	require.Zero(t, l.journal.Held())
}
