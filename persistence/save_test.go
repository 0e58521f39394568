package persistence

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

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
	require.Equal(t, "0", again.info("rdb_changes_since_last_save"), "what is loaded is no change")
	require.Equal(t, Condition{}, *again.condition.Load())
}

func TestChecksumsCanBeLeftOut(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, func(set *Settings) { set.Checksum = false })
	s.put(1, "a")
	require.NoError(t, s.Save())
	require.True(t, bytes.HasSuffix(files.Get("dir/dump.rdb"), append([]byte{0xFF}, make([]byte, 8)...)))
	require.Len(t, started(t, files.Kill()).contents(), 1)
}

// generations are a server whose dump has the keys of the first one, while its store has
// those of the second.
func generations(t *testing.T, files *fstest.Memory) (s *server, first, second map[string]string) {
	s = started(t, files)
	s.putLong("first")
	require.NoError(t, s.Save())
	first = s.contents()
	s.putLong("second")
	return s, first, s.contents()
}

// putLong makes keys hold so much that a dump takes several writes.
func (s *server) putLong(text string) {
	tx := s.begin()
	defer tx.End()
	for i := range 40 {
		e := tx.Write(fmt.Append(nil, "key:", i))
		e.SetBytes([]byte(strings.Repeat(text, 2000)), store.NoExpiry)
	}
}

// TestKilledAtEveryOperationOfSave kills the process, and cuts the power, before every file
// operation of SAVE: a start finds the old snapshot or the new one, and the new one if SAVE
// had said so.
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
			require.Equal(t, []string{"dir/dump.rdb"}, after.Names(), "leftovers are gone")
		}
		require.Less(t, n, 100)
		if done {
			require.Greater(t, n, 6)
		}
	}
}

// TestSaveSurvivesFaults lets each operation of SAVE fail once, writes after a part, too: SAVE
// says so, the old snapshot stays, and the next SAVE succeeds.
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
	require.False(t, s.condition.Load().SaveFailed, "who says SAVE has heard of it")
	require.NoError(t, s.BackgroundSave())
	s.idle()
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
	require.False(t, s.condition.Load().SaveFailed, "without save points nobody counts on snapshots")

	set.Save = []SavePoint{{1, 1}}
	require.NoError(t, s.Configure(set))
	files.Fault = nil
	s.now.Add(5e9)
	s.Tick()
	require.Equal(t, "", s.Writing(), "too early to try again")
	s.now.Add(1e9)
	s.Tick()
	s.idle()
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
	s.idle()
	require.Equal(t, "1", s.info("rdb_changes_since_last_save"), "changes since the snapshot began")
	s.Tick()
	s.idle()
	require.Equal(t, "0", s.info("rdb_changes_since_last_save"), "the one that was scheduled")
	s.Tick()
	require.Equal(t, "", s.Writing())
}

func TestSavePoints(t *testing.T) {
	s := started(t, &fstest.Memory{}) // 3600 1, 60 100
	saves := 0
	for _, step := range []struct {
		seconds int64 // that pass
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
		s.idle()
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
		require.Len(t, started(t, files).contents(), c.want, name) // the same file system: the lock was given back
	}
}

func TestStopEndsWhatRuns(t *testing.T) {
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
	require.Equal(t, "ok", s.info("rdb_last_bgsave_status"), "being stopped is no failure")
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
	e := tx.Write([]byte("over"))
	e.SetBytes([]byte("soon"), begin/1e6+10)
	tx.End()
	effects := s.effects.Load()
	require.NoError(t, s.Reload())
	require.Equal(t, map[string]string{"0/a": "1", "0/b": "2", "2/over": "soon"}, s.contents())
	require.Equal(t, effects, s.effects.Load(), "nobody is told")
	require.Equal(t, Condition{}, *s.condition.Load())
	files.Fault = failFrom(0, errDisk)
	require.ErrorIs(t, s.Reload(), errDisk)
	require.Len(t, s.contents(), 3, "what cannot be saved is not thrown away")
	require.Equal(t, Condition{}, *s.condition.Load())
}

var _ store.Observer = (*server)(nil)
