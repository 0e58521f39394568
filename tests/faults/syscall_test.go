//go:build linux && amd64

package faults

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// life is everything that a server does with its files: it writes, rewrites its append-only file, takes snapshots, and
// writes on. It ends early when the server does.
func life(t *testing.T, s *server, l *load) {
	t.Helper()
	for _, step := range [][]any{{"BGREWRITEAOF"}, {"SAVE"}, {"BGREWRITEAOF"}, {"BGSAVE"}} {
		begun := time.Now()
		if !there(t, s, l) || !tell(s, step...) || !there(t, s, l) || !idle(s) {
			return
		}
		l.slowest = max(l.slowest, time.Since(begun))
	}
	there(t, s, l)
}

// there writes, and reports whether the server is still there: one that cannot tell a client what it should may close its
// connection instead.
func there(t *testing.T, s *server, l *load) bool {
	t.Helper()
	return l.once(t, s.addr) || tell(s, "PING")
}

// death ends a server that has lived, as an operator would, if it is still there. One whose data is not safe refuses.
func death(s *server) {
	if refused := tell(s, "SHUTDOWN", "NOSAVE"); refused {
		s.kill()
	}
	select {
	case <-s.gone:
	case <-time.After(patience):
		s.kill()
	}
}

// tell sends a command whose success does not matter, and reports whether the server answered.
func tell(s *server, args ...any) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	_, err = c.do(args...)
	return err == nil
}

// everyCall lists the calls of a whole life and has a test do its worst at each of them, or at a share of them.
func everyCall(t *testing.T, p program, policy string, share int, worst func(t *testing.T, c call)) {
	t.Helper()
	var all []call
	s, err := p.startTraced(t, t.TempDir(), func(c call) fault {
		all = append(all, c)
		return fault{}
	}, appendOnly(policy)...)
	require.NoError(t, err)
	life(t, s, newLoad(p, random(t), 1, 1, 8))
	death(s)
	require.Zero(t, s.code, "%s", s.output())
	require.NotEmpty(t, all)
	t.Run(policy, func(t *testing.T) { each(t, all, share, worst) })
}

// each has a test do its worst at each of the calls, or at as many as fit, evenly spread.
func each(t *testing.T, all []call, share int, worst func(t *testing.T, c call)) {
	t.Helper()
	step := max(1, len(all)/rounds(share, len(all)))
	n := 0
	for at := rand.Intn(step); at < len(all); at += step {
		t.Run(fmt.Sprint(all[at]), func(t *testing.T) { worst(t, all[at]) })
		n++
	}
	t.Logf("at %d of %d calls", n, len(all))
}

// TestKillAtEveryCall kills the process before each system call of a life that changes a file. Whatever was
// acknowledged is there afterwards, and whatever was half done is no obstacle.
func TestKillAtEveryCall(t *testing.T) {
	p := subject(t)
	for _, policy := range policies {
		everyCall(t, p, policy, 6, func(t *testing.T, c call) {
			dir := t.TempDir()
			l := newLoad(p, random(t), 1, 1, 8)
			s, err := p.startTraced(t, dir, func(now call) fault { return fault{kill: now.n == c.n} }, appendOnly(policy)...)
			if err == nil {
				life(t, s, l)
				death(s)
			}
			s = p.start(t, dir, appendOnly(policy)...)
			defer s.kill()
			l.check(t, s, time.Now()).nothingLost(t, s)
		})
	}
}

// TestPowerCutAtEveryCall is TestKillAtEveryCall with the disk's power instead of the process.
func TestPowerCutAtEveryCall(t *testing.T) {
	p := subject(t)
	for _, policy := range policies[:2] {
		everyCall(t, p, policy, 6, func(t *testing.T, c call) {
			d := newDisk(t, 64, "data=ordered")
			r := random(t)
			how := []uint32{cutHard, cutJournal}[r.Intn(2)]
			d.arm(t)
			var cut atomic.Int64
			l := newLoad(p, r, 1, 1, 8)
			s, err := p.startTraced(t, d.dir, func(now call) fault {
				if now.n != c.n {
					return fault{}
				}
				cut.Store(time.Now().UnixNano())
				if err := d.cut(how); err != nil {
					t.Error(err)
				}
				return fault{kill: true}
			}, appendOnly(policy)...)
			if err == nil {
				life(t, s, l)
				death(s)
			}
			s.kill()
			d.restore(t)
			s = p.start(t, d.dir, appendOnly(policy)...)
			defer s.kill()
			l.check(t, s, time.Unix(0, cut.Load())).nothingOldLost(t, s, windowOf[policy])
		})
	}
}

// TestErrorAtEveryCall has each system call of a life that changes a file fail once: for want of space, or because the
// disk could not write, in which case what a sync did not reach is gone for ever (Rebello et al., ATC 2020). A server
// that runs goes on running, recovers by itself in seconds, and everything acknowledged is there afterwards.
// One that is about to start may refuse to.
func TestErrorAtEveryCall(t *testing.T) {
	p := subject(t)
	for _, policy := range policies[:2] {
		everyCall(t, p, policy, 6, func(t *testing.T, c call) { failAt(t, p, policy, c) })
	}
}

func failAt(t *testing.T, p program, policy string, c call) {
	dir := t.TempDir()
	l := newLoad(p, random(t), 1, 1, 8)
	var forgotten forgetful
	var failed, over atomic.Bool
	s, err := p.startTraced(t, dir, func(now call) fault {
		if now.n == c.n && !over.Load() {
			failed.Store(true)
			return forgotten.fail(now)
		}
		forgotten.note(now)
		return fault{}
	}, appendOnly(policy)...)
	if err != nil {
		require.ErrorIs(t, err, errEnded)
		require.Positive(t, s.code, "%s", s.output())
	} else {
		life(t, s, l)
		require.True(t, s.alive(), "an error at %s ended it:\n%s", c, s.output())
		before := failed.Load()
		recovers(t, s, l)
		if over.Store(true); failed.Load() != before {
			recovers(t, s, l) // from what has come only meanwhile
		}
		s.kill()
	}
	forgotten.forget(t)
	s = p.start(t, dir, appendOnly(policy)...)
	defer s.kill()
	l.check(t, s, time.Now()).nothingLost(t, s)
}

// recovers waits until a server whose files had an error says that all is well, and takes writes again: two seconds, and
// more where the machine is busy, as the server waits longer the longer a rewrite takes.
func recovers(t *testing.T, s *server, l *load) {
	t.Helper()
	require.Equal(t, resptest.Simple("PONG"), s.do(t, "PING"))
	require.True(t, within(2*time.Second+6*l.slowest, func() (bool, error) {
		refused := l.refused()
		return l.once(t, s.addr) && l.refused() == refused && s.info(t, "aof_last_write_status") == "ok", nil
	}), "not well in time, %d refused:\n%v\n%s", l.refused(), s.do(t, "INFO", "persistence"), s.output())
	require.True(t, l.once(t, s.addr))
}

// A forgetful file system drops what a failed sync had not written, as Linux's do: the next sync succeeds, and knows
// nothing of it.
type forgetful struct {
	synced map[uint64]int64 // by inode: how much of the file is on disk
	file   *os.File         // the one whose sync failed, wherever it is moved
	from   int64            // what of it is gone
	to     int64
}

// note keeps book of the syncs that succeed.
func (f *forgetful) note(c call) {
	if c.name != "fsync" && c.name != "fdatasync" {
		return
	}
	if info, err := os.Stat(c.path); err == nil && info.Mode().IsRegular() {
		if f.synced == nil {
			f.synced = map[uint64]int64{}
		}
		f.synced[inode(info)] = info.Size()
	}
}

// fail is the fault of a call: writes find no room, everything else a broken disk.
func (f *forgetful) fail(c call) fault {
	if c.name != "fsync" && c.name != "fdatasync" {
		return fault{errno: noSpace}
	}
	if file, err := os.OpenFile(c.path, os.O_RDWR, 0); err == nil {
		info, _ := file.Stat()
		f.file, f.from, f.to = file, f.synced[inode(info)], info.Size()
	}
	return fault{errno: ioError}
}

// forget fills what was lost with zeros. The server must be gone.
func (f *forgetful) forget(t *testing.T) {
	if f.file == nil {
		return
	}
	defer f.file.Close()
	if f.to > f.from {
		_, err := f.file.WriteAt(make([]byte, f.to-f.from), f.from)
		require.NoError(t, err)
		t.Logf("%s: bytes %d to %d are gone", filepath.Base(f.file.Name()), f.from, f.to)
	}
}
