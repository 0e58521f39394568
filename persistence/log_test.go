package persistence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// logged makes settings with a log.
func logged(p aof.Policy) func(*Settings) {
	return func(set *Settings) {
		set.Save, set.AppendOnly, set.AppendFsync = nil, true, p
		set.AppendDir, set.AppendName, set.LoadTruncated = "appendonlydir", "appendonly.aof", true
		set.RewritePercentage, set.RewriteMinSize = 400, 512<<20
	}
}

// acknowledged makes changes, and reports whether their replies may be sent. As the server does, it asks whether the log
// refuses the commands after it has read the mark.
func (s *server) acknowledged(do func()) bool {
	mark := s.Journal().Mark()
	refused := s.condition.Load().LogStrict
	do()
	return s.Journal().Wait(mark) && !refused
}

// pulse lets seconds pass, and calls Tick ten times a second.
func (s *server) pulse(seconds int64) {
	for range seconds * 10 {
		s.now.Add(1e8)
		s.Tick()
		s.quiet()
	}
}

// quiet waits until no job and no sync runs in the background.
func (s *server) quiet() {
	s.t.Helper()
	for s.Writing() != "" || s.Journal().Syncing() {
		runtime.Gosched()
	}
}

// restored waits until the log is complete.
func (s *server) restored() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.pulse(1)
		return s.condition.Load().LogFailed == ""
	}, patience, time.Millisecond)
}

func TestTheLogIsLoaded(t *testing.T) {
	for _, p := range []aof.Policy{aof.EverySecond, aof.Always, aof.Never} {
		files := &fstest.Memory{}
		s := started(t, files, logged(p))
		require.True(t, s.acknowledged(func() { s.put(1, "a", "b") }))
		again := started(t, files.Kill(), logged(p))
		require.Equal(t, s.contents(), again.contents())
		require.True(t, s.acknowledged(func() { s.put(7, "b", "c") }))
		require.NoError(t, s.Stop(false, false))
		files = files.PowerCut(nil)
		last := started(t, files, logged(p))
		require.Equal(t, s.contents(), last.contents())
		require.Equal(t, []string{
			"dir/appendonlydir/appendonly.aof.1.base.rdb", "dir/appendonlydir/appendonly.aof.1.incr.aof",
			"dir/appendonlydir/appendonly.aof.2.incr.aof", "dir/appendonlydir/appendonly.aof.manifest",
		}, files.Names())
	}
}

// TestTheLogBeginsWithTheDump starts with a dump only: it is loaded, and becomes the log's base.
func TestTheLogBeginsWithTheDump(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", dumped(t))
	s := started(t, files, logged(aof.Never))
	require.Len(t, s.contents(), 6)
	files = files.PowerCut(nil)
	require.NoError(t, files.Remove("dir/dump.rdb"))
	require.Len(t, started(t, files, logged(aof.Never)).contents(), 6)
}

func TestBadLogsRefuseToStart(t *testing.T) {
	for name, bad := range map[string]string{
		"appendonly.aof.manifest":    "file a seq 1\n",
		"appendonly.aof.1.base.rdb":  "REDIS0009",
		"appendonly.aof.1.incr.aof":  "*1\r\n$3\r\nabc\r\n",
		"appendonly.aof.1.incr.aof ": "",
	} {
		files := &fstest.Memory{}
		s := started(t, files, logged(aof.Always))
		s.put(1, "a")
		require.NoError(t, s.Stop(false, false))
		files.Put("dir/appendonlydir/"+strings.TrimSpace(name), []byte(bad))
		if bad == "" {
			require.NoError(t, files.Remove("dir/appendonlydir/appendonly.aof.1.base.rdb"))
		}
		before, names := allFiles(files), files.Names()
		s = newServer(t, files, logged(aof.Always))
		s.loader.replayer = func(int, [][]byte) error { return errors.New("unknown command") }
		err := s.Start(t.Context())
		require.ErrorContains(t, err, "nothing was changed", name)
		require.ErrorContains(t, err, "dir/appendonlydir/appendonly.aof", name)
		require.Equal(t, names, files.Names())
		require.Equal(t, before, allFiles(files))
	}
}

// allFiles returns the contents of all files.
func allFiles(files *fstest.Memory) map[string]string {
	all := map[string]string{}
	for _, name := range files.Names() {
		all[name] = string(files.Get(name))
	}
	return all
}

// TestKilledAtEveryOperationOfARewrite kills the process, or cuts the power, before every
// file operation of a rewrite. Changes come before, during and after the rewrite. A start must find
// all acknowledged changes.
func TestKilledAtEveryOperationOfARewrite(t *testing.T) {
	r := newRand(t)
	for n, done := 0, false; !done; n++ {
		files := &fstest.Memory{}
		s := started(t, files, logged(aof.Always))
		s.putLong("first")
		require.True(t, s.acknowledged(func() { s.put(1, "before") }))
		acked, tried := s.contents(), s.contents()
		first := files.Ops() + n
		files.Fault = func(op fstest.Op) error {
			if op.N >= first {
				return errDisk
			}
			if strings.HasSuffix(op.Path, ".base.rdb") && op.Kind == "write" && tried["0/meanwhile"] == "" {
				tried["0/meanwhile"] = "2"
				go s.put(2, "meanwhile")
			}
			return nil
		}
		require.NoError(t, s.BackgroundRewrite())
		s.wait()
		done = files.Ops() < first
		if !s.condition.Load().LogStrict { // else the server refuses the command
			tried["0/after"] = "3"
			if s.acknowledged(func() { s.put(3, "after") }) {
				acked["0/after"] = "3"
			}
		}
		for name, after := range map[string]*fstest.Memory{
			"kill": files.Kill(), "power cut": files.PowerCut(nil), "power cut with remains": files.PowerCut(r),
		} {
			again := started(t, after, logged(aof.Always))
			got := again.contents()
			for key, want := range acked {
				require.Equal(t, want, got[key], "%s after %d operations: %s", name, n, key)
			}
			for key, value := range got {
				require.Equal(t, tried[key], value, "%s after %d operations: %s", name, n, key)
			}
			require.NoError(t, again.BackgroundRewrite())
			again.wait()
			left := slices.DeleteFunc(after.Names(), func(name string) bool { return strings.Contains(name, ".torn-") })
			require.Len(t, left, 3, "no temporary files are left: %s after %d operations", name, n)
			require.Equal(t, got, started(t, after.PowerCut(nil), logged(aof.Always)).contents())
		}
		require.Less(t, n, 100)
		if done {
			require.Greater(t, n, 15)
		}
	}
}

// TestTheLogSurvivesFaults lets each operation fail once, also in the middle of a write, while
// changes come and a rewrite runs. All acknowledged changes must be in the files, and after a while all changes.
func TestTheLogSurvivesFaults(t *testing.T) {
	for _, p := range []aof.Policy{aof.Always, aof.EverySecond} {
		for n, done := 0, false; !done; n++ {
			files := &fstest.Memory{}
			s := started(t, files, logged(p))
			first := files.Ops() + n
			files.Fault = func(op fstest.Op) error {
				if op.N == first {
					return &fstest.Short{Bytes: 11, Err: errDisk}
				}
				return nil
			}
			acked := map[string]string{}
			put := func(key string) {
				if s.acknowledged(func() { s.put(1, key) }) && p == aof.Always {
					acked["0/"+key] = "1"
				}
			}
			put("a")
			s.pulse(2)
			put("b")
			_ = s.BackgroundRewrite()
			put("c")
			s.wait()
			put("d")
			done = files.Ops() <= first
			got := started(t, files.Kill(), logged(p)).contents()
			for key, want := range acked {
				require.Equal(t, want, got[key], "operation %d: %s", n, key)
			}
			s.restored()
			s.pulse(3)
			want := s.contents()
			require.Equal(t, want, started(t, files.PowerCut(nil), logged(p)).contents(), "operation %d", n)
			require.Less(t, n, 100)
		}
	}
}

func TestAFullDisk(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.EverySecond))
	s.put(1, "before")
	full := true
	files.Fault = func(op fstest.Op) error {
		if full && op.Kind == "write" {
			return &fstest.Short{Bytes: 5, Err: syscall.ENOSPC}
		}
		return nil
	}
	require.True(t, s.acknowledged(func() { s.put(1, "limiter") }), "limiters go on")
	require.Equal(t, "no space left on device", s.condition.Load().LogFailed)
	require.False(t, s.condition.Load().LogStrict)
	require.Equal(t, "err", s.info("aof_last_write_status"))
	require.True(t, s.acknowledged(func() { s.put(1, "later") }))
	s.pulse(5)
	require.NotEmpty(t, s.condition.Load().LogFailed)
	require.NotEqual(t, "0", s.info("aof_rewrites_consecutive_failures"))
	require.NotEqual(t, "0", s.info("aof_changes_in_memory_only"))
	require.Empty(t, slices.DeleteFunc(files.Names(), func(name string) bool { return !strings.Contains(name, "temp-") }))
	require.Equal(t, map[string]string{}, started(t, files.Kill(), logged(aof.EverySecond)).contents(), "nothing that is half written")
	full = false
	s.pulse(2)
	require.Equal(t, Condition{}, *s.condition.Load(), "two seconds after there is room")
	require.Equal(t, "ok", s.info("aof_last_write_status"))
	require.Equal(t, "0", s.info("aof_rewrites_consecutive_failures"))
	require.Len(t, started(t, files.PowerCut(nil), logged(aof.EverySecond)).contents(), 3)
}

// A disk that is full for ten minutes does not fill the log of the server.
func TestALongFullDiskHasFewLines(t *testing.T) {
	files, lines := &fstest.Memory{}, bytes.Buffer{}
	s := started(t, files, logged(aof.EverySecond))
	s.environment.log = slog.New(slog.NewTextHandler(&lines, nil))
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			return syscall.ENOSPC
		}
		return nil
	}
	require.True(t, s.acknowledged(func() { s.put(1, "limiter") }))
	s.pulse(600)
	failures, err := strconv.Atoi(s.info("aof_rewrites_consecutive_failures"))
	require.NoError(t, err)
	require.Greater(t, failures, 500)
	require.Contains(t, lines.String(), "failures=512")
	require.Less(t, strings.Count(lines.String(), "\n"), 15)
}

// A first start on a full disk, and each start on a disk that nobody may write to, say what to do.
func TestAStartOnADiskWithoutRoomSaysWhatToDo(t *testing.T) {
	for err, advice := range map[error]string{syscall.ENOSPC: "make room on the disk", syscall.EDQUOT: "make room on the disk", syscall.EROFS: "mount the disk so that the server may write there"} {
		files := &fstest.Memory{Fault: without(err)}
		require.ErrorContains(t, newServer(t, files, logged(aof.EverySecond)).Start(context.Background()), advice)
		files = files.Kill()
		started(t, files, logged(aof.EverySecond)).put(1, "a")
		if files = files.Kill(); err == syscall.EROFS {
			files.Fault = without(err)
			require.ErrorContains(t, newServer(t, files, logged(aof.EverySecond)).Start(context.Background()), advice)
		}
	}
}

// without returns the fault of a disk that takes nothing, for this reason.
func without(reason error) func(fstest.Op) error {
	return func(op fstest.Op) error {
		if op.Kind == "write" {
			return reason
		}
		return nil
	}
}

// A server with a log serves on a full disk after a start as before it, and writes the log when there is room.
func TestAStartOnAFullDiskServes(t *testing.T) {
	for _, p := range []aof.Policy{aof.EverySecond, aof.Always} {
		for _, tail := range []string{"", "*3\r\n$3\r\nSET"} {
			files := &fstest.Memory{}
			s := started(t, files, logged(p))
			require.True(t, s.acknowledged(func() { s.put(1, "before") }))
			files = files.Kill()
			for _, name := range files.Names() {
				if strings.HasSuffix(name, "incr.aof") {
					files.Put(name, append(files.Get(name), tail...))
				}
			}
			files.Fault = without(syscall.ENOSPC)
			s = started(t, files, logged(p))
			require.Equal(t, Condition{LogFailed: "no space left on device", LogStrict: p == aof.Always}, *s.condition.Load())
			s.put(1, "later")
			s.pulse(5)
			require.NotEqual(t, "0", s.info("aof_rewrites_consecutive_failures"))
			require.Equal(t, map[string]string{"0/before": "1"}, started(t, files.Kill(), logged(p)).contents())
			files.Fault = nil
			s.pulse(2)
			require.Equal(t, Condition{}, *s.condition.Load())
			require.Len(t, started(t, files.PowerCut(nil), logged(p)).contents(), 2)
		}
	}
}

// After a failed sync the bytes do not count as safe, even if a later sync succeeds.
func TestAFileThatCouldNotBeSyncedIsNotTrusted(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.EverySecond))
	failed := false
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, "1.incr.aof") {
			failed = true
			return errDisk
		}
		return nil
	}
	s.acknowledged(func() { s.put(1, "a") })
	s.pulse(2)
	require.True(t, failed)
	s.restored()
	require.Len(t, started(t, files.PowerCut(nil), logged(aof.EverySecond)).contents(), 1)
	require.Contains(t, files.Names(), "dir/appendonlydir/appendonly.aof.2.base.rdb")
	require.NotContains(t, files.Names(), "dir/appendonlydir/appendonly.aof.1.incr.aof")
}

func TestNoUnsafeReplyUnderAlways(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.Always))
	mark := s.Journal().Mark()
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "sync" {
			return errDisk
		}
		return nil
	}
	s.put(1, "a")
	require.False(t, s.Journal().Wait(s.Journal().Mark()))
	require.False(t, s.Journal().Wait(mark), "commands that began before the failure")
	require.True(t, s.Journal().Wait(s.Journal().Mark()), "commands that began after the failure: the server refuses those on keys")
	require.True(t, s.condition.Load().LogStrict)
	files.Fault = nil
	s.restored()
	require.True(t, s.acknowledged(func() { s.put(2, "b") }))
	require.Equal(t, s.contents(), started(t, files.PowerCut(nil), logged(aof.Always)).contents())
}

func TestTheLogIsTurnedOnAndOff(t *testing.T) {
	files := &fstest.Memory{}
	off := func(set *Settings) { logged(aof.Always)(set); set.AppendOnly = false }
	s := started(t, files, off)
	s.put(1, "a")
	require.Empty(t, files.Names())
	set := *s.settings.Load()
	set.AppendOnly = true
	require.NoError(t, s.Configure(set))
	s.quiet()
	require.Equal(t, "1", s.info("aof_rewrites"), "at once")
	s.put(2, "b")
	s.pulse(1)
	require.Equal(t, "1", s.info("aof_enabled"))
	require.Len(t, started(t, files.PowerCut(nil), logged(aof.Always)).contents(), 2)
	require.True(t, s.acknowledged(func() { s.put(3, "c") }))
	set.Dir = "elsewhere"
	require.ErrorContains(t, s.Configure(set), "appendonly")
	set.Dir, set.AppendOnly = "dir", false
	require.NoError(t, s.Configure(set))
	s.put(4, "d")
	s.pulse(1)
	require.Equal(t, "0", s.info("aof_enabled"))
	require.Len(t, started(t, files.PowerCut(nil), logged(aof.Always)).contents(), 3)
	set.AppendOnly = true
	require.NoError(t, s.Configure(set))
	s.pulse(1)
	require.Len(t, started(t, files.PowerCut(nil), logged(aof.Always)).contents(), 4)
}

// countedFiles is a file system that counts its open files.
type countedFiles struct {
	*fstest.Memory
	open atomic.Int64
}

type countedFile struct {
	fs.File
	of *countedFiles
}

func (c *countedFiles) Open(name string, flag int) (fs.File, error) {
	f, err := c.Memory.Open(name, flag)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return countedFile{f, c}, nil
}

func (f countedFile) Close() error {
	f.of.open.Add(-1)
	return f.File.Close()
}

// TestAFailedRewriteLeavesNoFileOpen: the disk has no room for the next manifest.
func TestAFailedRewriteLeavesNoFileOpen(t *testing.T) {
	files := &countedFiles{Memory: &fstest.Memory{}}
	s := started(t, files, logged(aof.Never))
	open := files.open.Load()
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			return syscall.ENOSPC
		}
		return nil
	}
	require.NoError(t, s.BackgroundRewrite())
	s.wait()
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	require.Equal(t, open, files.open.Load())
	files.Fault = nil
	require.NoError(t, s.BackgroundRewrite())
	s.wait()
	require.Equal(t, open, files.open.Load())
	require.Len(t, files.Names(), 3)
}

// TestARewriteWithoutALogIsNotContinued: BGREWRITEAOF with appendonly no writes a log of one moment. A disk that fails
// later is not its business.
func TestARewriteWithoutALogIsNotContinued(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, func(set *Settings) { set.Save = nil })
	s.put(1, "a")
	require.NoError(t, s.BackgroundRewrite())
	s.wait()
	files.Fault = failFrom(0, errDisk)
	require.True(t, s.acknowledged(func() { s.put(2, "b") }))
	require.Equal(t, Condition{}, *s.condition.Load())
	require.Equal(t, map[string]string{"0/a": "1"}, started(t, files.Kill(), logged(aof.Always)).contents())
}

// TestATornLogOfOneFileIsCut: a Redis before version 7 has crashed. Its log loads and moves, and the tail is kept beside.
func TestATornLogOfOneFileIsCut(t *testing.T) {
	files := &fstest.Memory{}
	whole, tail := "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nb"
	files.Put("dir/appendonly.aof", []byte(whole+tail))
	require.Equal(t, map[string]string{"0/a": "1"}, started(t, files, logged(aof.Never)).contents())
	files = files.PowerCut(nil)
	require.Equal(t, tail, string(files.Get("dir/appendonly.aof.torn-1")))
	require.Equal(t, whole, string(files.Get("dir/appendonlydir/appendonly.aof")))
	require.Equal(t, map[string]string{"0/a": "1"}, started(t, files, logged(aof.Never)).contents())
}

// TestSnapshotsDoNotHoldARewriteBack: clients schedule a snapshot during each job.
func TestSnapshotsDoNotHoldARewriteBack(t *testing.T) {
	s := started(t, &fstest.Memory{}, logged(aof.Never))
	s.ScheduleRewrite()
	for range 3 {
		s.ScheduleSave()
		s.Tick()
		s.quiet()
	}
	require.Equal(t, "1", s.info("aof_rewrites"))
}

// TestInfoShowsEveryRewrite requires that INFO shows a rewrite as scheduled or running until it has ended.
func TestInfoShowsEveryRewrite(t *testing.T) {
	s := started(t, &fstest.Memory{}, logged(aof.Never))
	for n := range 500 {
		s.ScheduleRewrite()
		go s.Tick()
		for done := false; !done; {
			var seen, rewrites any = 0, 0
			s.Info(func(name string, value any) {
				switch {
				case name == "aof_rewrites":
					rewrites = value
				case value == 1 && (name == "aof_rewrite_scheduled" || name == "aof_rewrite_in_progress"):
					seen = value
				}
			})
			done = rewrites == int64(n+1)
			require.True(t, done || seen == 1, "%v rewrites", rewrites)
		}
		s.quiet()
	}
}

func TestTheLogIsRewrittenWhenItHasGrown(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.Never), func(set *Settings) { set.RewriteMinSize = 2000 })
	for i := range 100 {
		s.put(i, "k")
	}
	s.pulse(9)
	require.Equal(t, "0", s.info("aof_rewrites"), "not so soon")
	s.pulse(2)
	require.Equal(t, "1", s.info("aof_rewrites"))
	require.Equal(t, s.contents(), started(t, files.Kill(), logged(aof.Never)).contents())
	s.pulse(60)
	require.Equal(t, "1", s.info("aof_rewrites"), "it has not grown")
	require.Len(t, files.Names(), 3)
}

// TestPowerCuts cuts the power after random changes with rewrites. The files must hold one of the states that the store
// had: with always a state with all acknowledged changes, with everysec a state with all changes that are older than
// two seconds.
func TestPowerCuts(t *testing.T) {
	r := newRand(t)
	for round := range 60 {
		p := []aof.Policy{aof.EverySecond, aof.Always, aof.Never}[round%3]
		files := &fstest.Memory{}
		s := started(t, files, logged(p))
		states := []map[string]string{s.contents()} // all states of the store
		safe := 0                                   // the index of the oldest state that may be left
		times := []int64{s.Now()}
		for range 60 {
			s.now.Add(r.Int64N(4e8))
			require.True(t, s.acknowledged(func() { randomPut(r, s) }))
			states, times = append(states, s.contents()), append(times, s.Now())
			s.Tick()
			s.quiet()
			if r.IntN(15) == 0 {
				_ = s.BackgroundRewrite()
				s.wait()
			}
		}
		for i, at := range times {
			if p == aof.Always || p == aof.EverySecond && s.Now()-at > 2e9 {
				safe = i
			}
		}
		for range 5 {
			got := started(t, files.PowerCut(r), logged(p)).contents()
			require.True(t, slices.ContainsFunc(states[safe:], func(state map[string]string) bool { return maps.Equal(state, got) }),
				"policy %d, round %d: %v", p, round, got)
		}
		last := states[len(states)-1]
		require.Equal(t, last, started(t, files.Kill(), logged(p)).contents())
	}
}

// randomPut changes some keys in one transaction.
func randomPut(r *rand.Rand, s *server) {
	tx := s.begin()
	defer tx.End()
	for range 1 + r.IntN(3) {
		e := tx.Write(fmt.Append(nil, "key:", r.IntN(20)))
		switch r.IntN(4) {
		case 0:
			e.Delete()
		case 1:
			e.SetBytes([]byte(strings.Repeat("x", r.IntN(2000))), store.NoExpiry)
		default:
			e.SetInt(r.Int64(), store.NoExpiry)
		}
	}
}
