//go:build linux && amd64

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/pausetest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// life lets a server do everything that it does with its files: writes, a rewrite of its append-only file, snapshots,
// and further writes. It ends early if the server ends.
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

// there writes, and reports whether the server is still alive. A server that must not reply may close the
// connection instead.
func there(t *testing.T, s *server, l *load) bool {
	t.Helper()
	return l.once(t, s.addr) || tell(s, "PING")
}

// death stops a server with SIGTERM if it is still alive. A server whose data is not on disk may refuse to stop.
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

// tell sends a command that may fail, and reports whether the server answered.
func tell(s *server, args ...any) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	_, err = c.do(args...)
	return err == nil
}

// everyCall lists the system calls of a whole life, and calls worst for each of them, or for a part of them.
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

// each calls worst for each of the system calls, or for an evenly spread part of them.
func each(t *testing.T, all []call, share int, worst func(t *testing.T, c call)) {
	t.Helper()
	step := max(1, len(all)/rounds(share, len(all)))
	n := 0
	for at := random(t).Intn(step); at < len(all); at += step {
		t.Run(fmt.Sprint(all[at]), func(t *testing.T) { worst(t, all[at]) })
		n++
	}
	t.Logf("at %d of %d calls", n, len(all))
}

// TestKillAtEveryCall kills the process before each system call of a life that changes a file. Afterwards every
// acknowledged write must be there, and the next life must succeed.
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

// TestPowerCutAtEveryCall is TestKillAtEveryCall with a power cut.
func TestPowerCutAtEveryCall(t *testing.T) {
	p := subject(t)
	for _, policy := range policies[:2] {
		everyCall(t, p, policy, 6, func(t *testing.T, c call) {
			d := newDisk(t, 64, "data=ordered")
			r := random(t)
			how := []uint32{cutHard, cutJournal}[r.Intn(2)]
			d.arm(t)
			machine := pausetest.Start(t)
			l := newLoad(p, r, 1, 1, 8)
			s, err := p.startTraced(t, d.dir, func(now call) fault {
				if now.n != c.n {
					return fault{}
				}
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
			l.check(t, s, d.cutAt).nothingOldLost(t, s, mayLose(policy, machine))
		})
	}
}

// TestErrorAtEveryCall lets each system call of a life that changes a file fail once. Either the disk is full, or it
// cannot write: then a failed sync loses its writes for ever (Rebello et al., ATC 2020). A running server must go on
// and recover by itself in seconds, and every acknowledged write must be there afterwards. A starting server may refuse
// to start.
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
		require.True(t, s.alive(), "an error at %s ended the server:\n%s", c, s.output())
		before := failed.Load()
		recovers(t, s, l)
		if over.Store(true); failed.Load() != before {
			recovers(t, s, l) // from a fault that came only now
		}
		s.kill()
	}
	forgotten.forget(t)
	s = p.start(t, dir, appendOnly(policy)...)
	defer s.kill()
	l.check(t, s, time.Now()).nothingLost(t, s)
}

// recovers waits until a server reports no error of its files and accepts writes again. The server needs two seconds, and more
// if a rewrite takes longer, or the machine is busy.
func recovers(t *testing.T, s *server, l *load) {
	t.Helper()
	require.Equal(t, resptest.Simple("PONG"), s.do(t, "PING"))
	require.True(t, within(patience+6*l.slowest, func() (bool, error) {
		refused := l.refused()
		return l.once(t, s.addr) && l.refused() == refused && s.info(t, "aof_last_write_status") == "ok", nil
	}), "not well in time, %d refused:\n%v\n%s", l.refused(), s.do(t, "INFO", "persistence"), s.output())
	require.True(t, l.once(t, s.addr))
}

// A forgetful file system drops the writes of a failed sync, as Linux's file systems do. The next sync succeeds and
// does not report the loss.
type forgetful struct {
	synced map[uint64]int64 // by inode: the bytes of the file that are on disk
	file   *os.File         // the file whose sync failed, under any name
	from   int64            // the offset of the first lost byte
	to     int64
}

// note records a successful sync.
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

// fail returns the fault of a call: a full disk for writes, a broken disk for all other calls.
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

// forget overwrites the lost bytes with zeros. The server must have ended.
func (f *forgetful) forget(t *testing.T) {
	if f.file == nil {
		return
	}
	defer f.file.Close()
	if f.to > f.from {
		_, err := f.file.WriteAt(make([]byte, f.to-f.from), f.from)
		require.NoError(t, err)
		t.Logf("%s: bytes %d to %d are lost", filepath.Base(f.file.Name()), f.from, f.to)
	}
}
