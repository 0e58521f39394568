package persistence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

var errDisk = errors.New("input/output error")

func TestSaveAndStart(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	require.Equal(t, begin/1e9, s.LastSave())
	s.put(1, "a", "b", "c")
	require.Equal(t, "3", s.info("rdb_changes_since_last_save"))
	s.now.Add(7e9)
	require.NoError(t, s.Save())
	require.Equal(t, "0", s.info("rdb_changes_since_last_save"))
	require.Equal(t, begin/1e9+7, s.LastSave())
	require.Equal(t, "1", s.info("rdb_saves"))
	require.Equal(t, []string{"dir/dump.rdb"}, files.Names())

	again := started(t, files.Kill())
	require.Equal(t, map[string]string{"0/a": "1", "0/b": "2", "0/c": "3"}, again.contents())
	require.Equal(t, "3", again.info("rdb_last_load_keys_loaded"))
	require.Equal(t, "0", again.info("rdb_changes_since_last_save"), "loading counts as no change")
	require.Equal(t, Condition{}, *again.condition.Load())
}

func TestNoChecksum(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, func(set *Settings) { set.Checksum = false })
	s.put(1, "a")
	require.NoError(t, s.Save())
	require.True(t, bytes.HasSuffix(files.Get("dir/dump.rdb"), append([]byte{0xFF}, make([]byte, 8)...)))
	require.Len(t, started(t, files.Kill()).contents(), 1)
}

// generations returns a server whose dump has the first contents and whose store has the
// second contents.
func generations(t *testing.T, files *fstest.Memory) (s *server, first, second map[string]string) {
	s = started(t, files)
	s.putLong("first")
	require.NoError(t, s.Save())
	first = s.contents()
	s.putLong("second")
	return s, first, s.contents()
}

// putLong gives keys so large values that a dump takes several writes.
func (s *server) putLong(text string) {
	tx := s.begin()
	defer tx.End()
	for i := range 40 {
		e := tx.Write(fmt.Append(nil, "key:", i))
		e.SetBytes([]byte(strings.Repeat(text, 2000)), store.NoExpiry)
	}
}

// TestKilledAtEveryOperationOfSave kills the process, or cuts the power, before every file
// operation of SAVE. A start must find the old snapshot or the new one; after SAVE has succeeded, the
// new one.
func TestKilledAtEveryOperationOfSave(t *testing.T) {
	r := newRand(t)
	for n, done := 0, false; !done; n++ {
		files := &fstest.Memory{}
		s, first, second := generations(t, files)
		files.Fault = failFrom(files.Ops()+n, errDisk)
		done = s.Save() == nil
		for name, after := range map[string]*fstest.Memory{
			"kill": files.Kill(), "power cut": files.PowerCut(nil), "power cut with remains": files.PowerCut(r),
		} {
			again := started(t, after)
			got := again.contents()
			if done {
				require.Equal(t, second, got, "%s after %d operations", name, n)
			} else {
				require.Contains(t, []map[string]string{first, second}, got, "%s after %d operations", name, n)
			}
			require.NoError(t, again.Save())
			require.Equal(t, []string{"dir/dump.rdb"}, after.Names(), "no temporary files are left")
		}
		require.Less(t, n, 100)
		if done {
			require.Greater(t, n, 6)
		}
	}
}

// TestSaveSurvivesFaults lets each operation of SAVE fail once, also in the middle of a write. SAVE
// must fail, the old snapshot must stay, and the next SAVE must succeed.
func TestSaveSurvivesFaults(t *testing.T) {
	for n, done := 0, false; !done; n++ {
		files := &fstest.Memory{}
		s, first, second := generations(t, files)
		at, synced := files.Ops()+n, false
		files.Fault = func(op fstest.Op) error {
			if op.N != at {
				return nil
			}
			synced = op.Kind == "syncdir"
			return &fstest.Short{Bytes: 1000, Err: errDisk}
		}
		err := s.Save()
		if done = err == nil; done {
			require.Greater(t, n, 6)
			continue
		}
		require.ErrorIs(t, err, errDisk)
		if !synced {
			require.Equal(t, first, started(t, files.Kill()).contents())
		}
		require.Equal(t, []string{"dir/dump.rdb"}, files.Names(), "operation %d", n)
		require.NoError(t, s.Save())
		require.Equal(t, second, started(t, files.PowerCut(nil)).contents())
	}
}

// TestAJobThatPanicsFails: such a job ended the server. The file stays as it was.
func TestAJobThatPanicsFails(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", []byte("whole"))
	err := replace(files, "dir/dump.rdb", &job{}, func(out io.Writer) error {
		_, _ = io.WriteString(out, "a part")
		panic("oops")
	})
	require.ErrorContains(t, err, "panicked: oops")
	require.ErrorContains(t, err, "snapshots_test.go")
	require.Equal(t, "whole", string(files.Get("dir/dump.rdb")))
	require.Len(t, held(files), 1)
}

func TestFailedSavesRefuseWrites(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	s.put(1, "a")
	full := func(op fstest.Op) error {
		if op.Kind == "write" {
			return errDisk
		}
		return nil
	}
	files.Fault = full
	require.ErrorIs(t, s.Save(), errDisk)
	require.False(t, s.condition.Load().SaveFailed, "the client of SAVE has the error")
	require.NoError(t, s.BackgroundSave())
	s.wait()
	require.True(t, s.condition.Load().SaveFailed)
	require.Equal(t, "err", s.info("rdb_last_bgsave_status"))

	set := *s.settings.Load()
	set.StopWrites = false
	require.NoError(t, s.Configure(set))
	require.False(t, s.condition.Load().SaveFailed)
	set.StopWrites = true
	require.NoError(t, s.Configure(set))
	require.True(t, s.condition.Load().SaveFailed)
	set.Save = nil
	require.NoError(t, s.Configure(set))
	require.False(t, s.condition.Load().SaveFailed, "without save points, writes go on")

	set.Save = []SavePoint{{1, 1}}
	require.NoError(t, s.Configure(set))
	files.Fault = nil
	s.now.Add(5e9)
	s.Tick()
	require.Equal(t, "", s.Writing(), "too early to try again")
	s.now.Add(1e9)
	s.Tick()
	s.wait()
	require.False(t, s.condition.Load().SaveFailed)
	require.Equal(t, "ok", s.info("rdb_last_bgsave_status"))
	require.Equal(t, "0", s.info("rdb_last_bgsave_time_sec"))
}

func TestOneSnapshotAtATime(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	s.put(1, "a")
	begun, goOn := make(chan struct{}), make(chan struct{})
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "rename" {
			close(begun)
			<-goOn
		}
		return nil
	}
	require.NoError(t, s.BackgroundSave())
	<-begun
	require.Equal(t, "rdb", s.Writing())
	require.Equal(t, "1", s.info("rdb_bgsave_in_progress"))
	require.ErrorIs(t, s.Save(), ErrBusy)
	require.ErrorIs(t, s.BackgroundSave(), ErrBusy)
	s.ScheduleSave()
	s.Tick()
	s.put(2, "b")
	files.Fault = nil
	close(goOn)
	s.wait()
	require.Equal(t, "1", s.info("rdb_changes_since_last_save"), "changes since the snapshot began")
	s.Tick()
	s.wait()
	require.Equal(t, "0", s.info("rdb_changes_since_last_save"), "the scheduled snapshot")
	s.Tick()
	require.Equal(t, "", s.Writing())
}

// A disk that is full for hours does not fill the log of the server. The log says when a snapshot is on disk again.
func TestFailedSavesHaveFewLines(t *testing.T) {
	files, lines := &fstest.Memory{}, bytes.Buffer{}
	s := started(t, files, func(set *Settings) { set.Save = []SavePoint{{1, 1}} })
	s.environment.log = slog.New(slog.NewTextHandler(&lines, nil))
	s.put(1, "a")
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			return errDisk
		}
		return nil
	}
	attempt := func() {
		s.now.Add(6e9)
		s.Tick()
		s.wait()
	}
	for range 600 {
		attempt()
	}
	require.Contains(t, lines.String(), "failures=512")
	require.Equal(t, 12, strings.Count(lines.String(), "\n"), "two lines of the first attempt, and ten of failures")
	lines.Reset()
	files.Fault = nil
	attempt()
	require.Contains(t, lines.String(), "snapshot is on disk")
	s.put(2, "a")
	attempt()
	require.Contains(t, lines.String(), "save point reached")
}

func TestSavePoints(t *testing.T) {
	s := started(t, &fstest.Memory{}) // 3600 1, 60 100
	saves := 0
	for _, step := range []struct {
		seconds int64 // pass
		changes int
		saves   bool
	}{
		{seconds: 4000}, {changes: 1, saves: true},
		{seconds: 3600, changes: 1}, {seconds: 1, saves: true},
		{seconds: 50, changes: 99}, {seconds: 11}, {changes: 1, saves: true},
		{seconds: 60, changes: 150}, {seconds: 1, saves: true}, {seconds: 10000},
	} {
		s.now.Add(step.seconds * 1e9)
		for i := range step.changes {
			s.put(i, "k")
		}
		s.Tick()
		s.wait()
		if step.saves {
			saves++
		}
		require.Equal(t, fmt.Sprint(saves), s.info("rdb_saves"), "%+v", step)
	}
}

func TestStopSavesAsTheConfigurationSays(t *testing.T) {
	none := func(set *Settings) { set.Save = nil }
	for name, c := range map[string]struct {
		settings     []func(*Settings)
		save, noSave bool
		want         int // keys after a restart
	}{
		"save points": {want: 3}, "nosave": {noSave: true}, "no save points": {settings: []func(*Settings){none}},
		"no save points, save": {settings: []func(*Settings){none}, save: true, want: 3},
	} {
		files := &fstest.Memory{}
		s := started(t, files, c.settings...)
		s.put(1, "a", "b")
		require.NoError(t, s.PrepareStop(c.save, c.noSave), name)
		s.put(1, "late")
		require.NoError(t, s.Stop(c.save, c.noSave), name)
		require.Len(t, started(t, files).contents(), c.want, name) // the same file system: the lock was released
	}
}

func TestStopEndsTheRunningJob(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	s.put(1, "a")
	begun, goOn := make(chan struct{}), make(chan struct{})
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "open" && op.Path == "dir/temp-dump.rdb" {
			close(begun)
			<-goOn
		}
		return nil
	}
	require.NoError(t, s.BackgroundSave())
	<-begun
	files.Fault = nil
	stopped := make(chan error)
	go func() { stopped <- s.PrepareStop(false, true) }()
	require.Eventually(t, func() bool { s.jobs.mu.Lock(); defer s.jobs.mu.Unlock(); return s.jobs.job.stopped.Load() }, patience, 1e6)
	close(goOn)
	require.NoError(t, <-stopped)
	require.Empty(t, files.Names())
	require.Equal(t, "ok", s.info("rdb_last_bgsave_status"), "a stopped snapshot is no failure")
}

// heldFiles is a file system in which the first snapshot waits. Other operations go on.
type heldFiles struct {
	*fstest.Memory
	begun, goOn chan struct{}
}

func (h *heldFiles) Open(name string, flag int) (fs.File, error) {
	if name == "dir/temp-dump.rdb" && h.begun != nil {
		close(h.begun)
		h.begun = nil
		<-h.goOn
	}
	return h.Memory.Open(name, flag)
}

// awaitInterruption waits until somebody has told the running job to end.
func (s *server) awaitInterruption(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		s.jobs.mu.Lock()
		defer s.jobs.mu.Unlock()
		return s.jobs.job.stopped.Load()
	}, patience, time.Millisecond)
}

// TestStopReplacesTheRunningSnapshot: the snapshot that runs at the stop lacks the last changes.
func TestStopReplacesTheRunningSnapshot(t *testing.T) {
	files := &heldFiles{&fstest.Memory{}, make(chan struct{}), make(chan struct{})}
	begun := files.begun
	s := started(t, files)
	s.put(1, "a")
	require.NoError(t, s.BackgroundSave())
	<-begun
	s.put(2, "late")
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(false, false) }()
	s.awaitInterruption(t)
	close(files.goOn)
	require.NoError(t, <-stopped)
	require.Len(t, started(t, files.Memory).contents(), 2)
}

// TestAFlushDuringTheLastSnapshot: the flush ends the snapshot of the stop. That is no reason to continue.
func TestAFlushDuringTheLastSnapshot(t *testing.T) {
	for _, save := range []bool{false, true} {
		files := &heldFiles{&fstest.Memory{}, make(chan struct{}), make(chan struct{})}
		begun := files.begun
		s := started(t, files, func(set *Settings) {
			if save {
				set.Save = nil
			}
		})
		s.put(1, "a")
		prepared := make(chan error, 1)
		go func() { prepared <- s.PrepareStop(save, false) }()
		<-begun
		tx := s.begin()
		tx.Flush()
		tx.End()
		flushed := make(chan struct{})
		go func() {
			s.Flushed()
			close(flushed)
		}()
		s.awaitInterruption(t)
		close(files.goOn)
		require.NoError(t, <-prepared)
		<-flushed
		require.NoError(t, s.Stop(save, false))
		require.NotEmpty(t, files.Get("dir/dump.rdb"))
		require.Empty(t, started(t, files.Memory).contents())
	}
}

func TestFlushedDataDoesNotComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		points []SavePoint
		want   int
	}{"save points": {[]SavePoint{{3600, 1}}, 0}, "none": {nil, 1}} {
		files := &fstest.Memory{}
		s := started(t, files, func(set *Settings) { set.Save = c.points })
		s.put(1, "a")
		require.NoError(t, s.Save())
		tx := s.begin()
		tx.Flush()
		tx.End()
		s.Flushed()
		require.Len(t, started(t, files.Kill()).contents(), c.want, name)
	}
}

func TestReload(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	s.put(1, "a", "b")
	tx := s.begin()
	tx.Select(2)
	e := tx.Write([]byte("temporary"))
	e.SetBytes([]byte("soon"), begin/1e6+10)
	tx.End()
	effects := s.effects.Load()
	require.NoError(t, s.Reload())
	require.Equal(t, map[string]string{"0/a": "1", "0/b": "2", "2/temporary": "soon"}, s.contents())
	require.Equal(t, effects, s.effects.Load(), "observers see nothing")
	require.Equal(t, Condition{}, *s.condition.Load())
	files.Fault = failFrom(0, errDisk)
	require.ErrorIs(t, s.Reload(), errDisk)
	require.Len(t, s.contents(), 3, "keys that could not be saved stay")
	require.Equal(t, Condition{}, *s.condition.Load())
}

// alsoLogged turns the log on beside the snapshots.
func alsoLogged(set *Settings) { set.AppendOnly = true }

// A snapshot leaves out keys that have expired. So a log that goes on must not have them either: what then takes
// their names may be of another type.
func TestTheLogAfterAReload(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, alsoLogged)
	s.put(1, "a")
	tx := s.begin()
	e := tx.Write([]byte("temporary"))
	e.SetBytes([]byte("soon"), begin/1e6+10)
	tx.End()
	s.now.Add(20e6)
	require.NoError(t, s.Reload())
	s.put(2, "b")
	s.Journal().Sync()
	require.Equal(t, map[string]string{"0/a": "1", "0/b": "2"},
		started(t, files.Kill(), alsoLogged).contents())
}

// If the disk fails after the load, the log ends until a rewrite has made it complete.
func TestAReloadThatCannotRewriteTheLog(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, alsoLogged)
	s.put(1, "a")
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "rename" && strings.Contains(op.Path, "appendonly") {
			return errDisk
		}
		return nil
	}
	require.NoError(t, s.Reload())
	require.NotEmpty(t, s.condition.Load().LogFailed)
	s.put(2, "b")
	files.Fault = nil
	s.now.Add(10e9)
	s.Tick()
	s.wait()
	require.Equal(t, Condition{}, *s.condition.Load())
	require.Equal(t, map[string]string{"0/a": "1", "0/b": "2"},
		started(t, files.Kill(), alsoLogged).contents())
}

// If the snapshot cannot be read again, keys are missing. Nothing takes the place of the files that have them.
func TestAReloadThatCannotLoad(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"snapshot": func(*Settings) {}, "log": alsoLogged,
	} {
		for _, op := range []string{"open", "read"} {
			files := &fstest.Memory{}
			s := started(t, files, change)
			s.put(1, "a", "b")
			reads := false
			files.Fault = func(at fstest.Op) error {
				if reads = reads || at.Kind == "syncdir"; reads && at.Kind == op {
					return errDisk
				}
				return nil
			}
			require.ErrorIs(t, s.Reload(), errDisk)
			require.True(t, s.condition.Load().Loading)
			files.Fault = nil
			require.ErrorIs(t, s.BackgroundRewrite(), ErrBusy)
			require.ErrorIs(t, s.Reload(), ErrBusy)
			s.put(3, "a late command")
			s.now.Add(7200e9)
			s.Tick()
			s.wait()
			require.NoError(t, s.PrepareStop(true, false))
			require.NoError(t, s.Stop(true, false))
			require.Subset(t, started(t, files.Kill(), change).contents(), map[string]string{"0/a": "1", "0/b": "2"}, name, op)
		}
	}
}

// A log that had failed before has not all keys of the memory, and the memory has not all keys either.
func TestAReloadThatCannotLoadAfterTheLogHasFailed(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, alsoLogged)
	s.put(1, "a")
	s.Journal().Sync()
	s.Journal().GiveUp(s.Journal().Current(), errDisk)
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "read" {
			return errDisk
		}
		return nil
	}
	require.ErrorIs(t, s.Reload(), errDisk)
	files.Fault = nil
	require.Error(t, s.Stop(false, true))
	require.Equal(t, map[string]string{"0/a": "1"},
		started(t, files.Kill(), alsoLogged).contents())
}

// SHUTDOWN stops the rewrite after a reload, and makes the log complete itself.
func TestAStopDuringAReload(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, alsoLogged)
	s.put(1, "a")
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "open" && strings.Contains(op.Path, "appendonly") {
			s.jobs.job.stopped.Store(true)
		}
		return nil
	}
	require.NoError(t, s.Reload())
	files.Fault = nil
	require.NoError(t, s.Stop(false, true))
	require.Equal(t, map[string]string{"0/a": "1"},
		started(t, files.Kill(), alsoLogged).contents())
}

// A stop ends the snapshot of a reload, and then writes one itself.
func TestAStopDuringTheSnapshotOfAReload(t *testing.T) {
	files, ended := &fstest.Memory{}, make(chan error)
	s := started(t, files)
	s.put(1, "a")
	reload, err := s.jobs.begin(savingJob, 0, false)
	require.NoError(t, err)
	s.update(func(c *Condition) { c.Loading = true })
	go func() { ended <- s.Stop(false, false) }()
	for !reload.stopped.Load() {
		runtime.Gosched()
	}
	s.endLoading()
	s.jobs.end()
	require.NoError(t, <-ended)
	require.Equal(t, map[string]string{"0/a": "1"}, started(t, files.Kill()).contents())
}

// CONFIG SET dbfilename may come while the snapshot is written. The keys come back from where they are.
func TestAReloadWhileTheNameChanges(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	s.put(1, "a")
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "rename" {
			files.Fault = nil
			set := *s.settings.Load()
			set.DBFilename = "other.rdb"
			require.NoError(t, s.Configure(set))
		}
		return nil
	}
	require.NoError(t, s.Reload())
	require.Equal(t, map[string]string{"0/a": "1"}, s.contents())
}

// The log of a cluster, and a server that this one follows, change keys also during a load. They would be lost.
func TestNoReloadOfKeysThatComeFromElsewhere(t *testing.T) {
	node := started(t, &fstest.Memory{}, func(set *Settings) { set.Exports = true })
	require.ErrorIs(t, node.Reload(), errForeign)
	follower := started(t, &fstest.Memory{})
	follower.store.KeepExpired(true)
	require.ErrorIs(t, follower.Reload(), errForeign)
}

// Before a start has loaded all keys, a snapshot would have a part of them.
func TestNoReloadDuringTheLoad(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", dumped(t))
	s := newServer(t, files)
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "read" {
			files.Fault = nil
			require.ErrorIs(t, s.Reload(), ErrBusy)
		}
		return nil
	}
	require.NoError(t, s.Start(t.Context()))
	require.Len(t, s.contents(), 6)
}

var _ store.Observer = (*server)(nil)
