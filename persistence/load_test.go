package persistence

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

// dumped returns a dump of some keys.
func dumped(t testing.TB) []byte {
	files := &fstest.Memory{}
	s := started(t, files)
	for i := range 6 {
		s.put(1e12+i, fmt.Sprint("key:", i))
	}
	require.NoError(t, s.Save())
	return files.Get("dir/dump.rdb")
}

// TestDamageRefusesToStart flips every bit of a dump, and cuts the dump at every byte. The start must
// fail with the file, the place and what to do. Nothing on disk may change.
func TestDamageRefusesToStart(t *testing.T) {
	whole := dumped(t)
	refused := func(p []byte) {
		files := &fstest.Memory{}
		files.Put("dir/dump.rdb", p)
		err := newServer(t, files).Start(context.Background())
		require.ErrorContains(t, err, "dir/dump.rdb: rdb: ")
		require.ErrorContains(t, err, "at byte ")
		require.ErrorContains(t, err, "restore the file from a good copy, or move it away")
		require.Equal(t, p, files.Get("dir/dump.rdb"))
		require.Equal(t, []string{"dir/dump.rdb"}, files.Names())
	}
	for bit := range len(whole) * 8 {
		p := bytes.Clone(whole)
		p[bit/8] ^= 1 << (bit % 8)
		refused(p)
	}
	for n := range whole {
		refused(whole[:n])
	}
}

func TestUnsupportedTypes(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", []byte("REDIS0009\xfe\x00\x0f\x06stream\x00\x00\x00\x00\x00\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	err := newServer(t, files).Start(context.Background())
	require.ErrorContains(t, err, `key "stream" has the unsupported type stream`)
	require.ErrorContains(t, err, "start with --rdb-skip-unsupported yes")
	s := started(t, files.Kill(), func(set *Settings) { set.SkipUnsupported = true })
	require.Equal(t, map[string]string{"0/k": "v"}, s.contents())
}

func TestTooManyDatabases(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", []byte("REDIS0009\xfe\x07\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	require.EqualError(t, newServer(t, files).Start(context.Background()), `dir/dump.rdb: rdb: key "k" is in database 7, but there are only 3 databases: `+
		"set databases to 8 or more; nothing was changed")
}

func TestExpiredKeysAreNotLoaded(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	tx := s.begin()
	for key, ms := range map[string]int64{"a": 1, "b": 1000} {
		e := tx.Write([]byte(key))
		e.SetBytes([]byte(key), begin/1e6+ms)
	}
	tx.End()
	require.NoError(t, s.Save())
	later := newServer(t, files.Kill())
	later.now.Add(10e6)
	require.NoError(t, later.Start(context.Background()))
	require.Equal(t, map[string]string{"0/b": "b"}, later.contents())
	require.Equal(t, "1", later.info("rdb_last_load_keys_expired"))
	require.Equal(t, "1", later.info("rdb_last_load_keys_loaded"))
}

func TestLoadingIsReported(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", dumped(t))
	begun, goOn := make(chan struct{}), make(chan struct{})
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "read" {
			files.Fault = nil
			close(begun)
			<-goOn
		}
		return nil
	}
	s := newServer(t, files)
	done := make(chan error)
	go func() { done <- s.Start(context.Background()) }()
	<-begun
	require.True(t, s.condition.Load().Loading)
	require.Equal(t, "1", s.info("loading"))
	require.Equal(t, fmt.Sprint(len(dumped(t))), s.info("loading_total_bytes"))
	require.Equal(t, "0.00", s.info("loading_loaded_perc"))
	s.Tick()
	close(goOn)
	require.NoError(t, <-done)
	require.False(t, s.condition.Load().Loading)
	require.Equal(t, "none", s.info("loading_total_bytes"))
}

// heldClock is a clock of a server that waits in the middle of the load.
type heldClock struct {
	*server
	begun, goOn chan struct{}
}

func (c *heldClock) Monotonic() int64 {
	if c.begun != nil && c.progress.active.Load() && c.store.Keys() > 0 {
		close(c.begun)
		c.begun = nil
		<-c.goOn
	}
	return c.server.Monotonic()
}

// keysOfLoad is how many keys halfLoaded loads.
const keysOfLoad = 3000

// halfLoaded returns a server in the middle of its load.
func halfLoaded(t *testing.T, change ...func(*Settings)) (files *fstest.Memory, s *server, goOn func()) {
	files = &fstest.Memory{}
	before := started(t, files, change...)
	for i := range keysOfLoad {
		before.put(i, fmt.Sprint("key:", i))
	}
	require.NoError(t, before.Save())
	if before.settings.Load().AppendOnly {
		require.NoError(t, before.BackgroundRewrite())
		before.wait()
	}
	require.NoError(t, before.Stop(false, true))
	s = newServer(t, files, change...)
	c := &heldClock{s, make(chan struct{}), make(chan struct{})}
	begun := c.begun
	s.clock = c
	done := make(chan error)
	go func() { done <- s.Start(t.Context()) }()
	<-begun
	return files, s, func() {
		close(c.goOn)
		require.NoError(t, <-done)
	}
}

// TestShutdownDuringTheLoad requires that the snapshot of a part of the keys replaces no file.
func TestShutdownDuringTheLoad(t *testing.T) {
	for _, save := range []bool{false, true} {
		files, s, goOn := halfLoaded(t)
		require.NoError(t, s.PrepareStop(save, false))
		killed := files.Kill()
		goOn()
		require.Equal(t, keysOfLoad, started(t, killed).store.Keys())
		s.put(1, "late")
		require.NoError(t, s.Stop(save, false))
		require.Equal(t, keysOfLoad+1, started(t, files).store.Keys())
	}
}

// TestTheLogIsTurnedOnDuringTheLoad requires that the log has the keys that come after it is turned on.
func TestTheLogIsTurnedOnDuringTheLoad(t *testing.T) {
	files, s, goOn := halfLoaded(t)
	set := *s.settings.Load()
	set.AppendOnly = true
	require.NoError(t, s.Configure(set))
	s.wait()
	goOn()
	s.pulse(1)
	s.put(1, "late")
	require.NoError(t, s.Stop(false, true))
	require.Equal(t, keysOfLoad+1, started(t, files, logged(aof.Always)).store.Keys())
}

// TestTheLogIsTurnedOffDuringTheLoad: then the directory may change, too.
func TestTheLogIsTurnedOffDuringTheLoad(t *testing.T) {
	files, s, goOn := halfLoaded(t, logged(aof.Always))
	set := *s.settings.Load()
	set.AppendOnly = false
	require.NoError(t, s.Configure(set))
	set.Dir = "other"
	require.NoError(t, s.Configure(set))
	goOn()
	require.False(t, s.Journal().Recording())
	s.put(1, "late")
	require.Equal(t, keysOfLoad, started(t, files.Kill(), logged(aof.Always)).store.Keys())
}

// TestTheLogMovesDuringTheLoad: it is turned off, and on again in another directory. The next start finds it there.
func TestTheLogMovesDuringTheLoad(t *testing.T) {
	files, s, goOn := halfLoaded(t, logged(aof.Always))
	set := *s.settings.Load()
	set.AppendOnly = false
	require.NoError(t, s.Configure(set))
	set.Dir, set.AppendOnly = "other", true
	require.NoError(t, s.Configure(set))
	before := files.Get("dir/appendonlydir/appendonly.aof.manifest")
	goOn()
	require.Equal(t, before, files.Get("dir/appendonlydir/appendonly.aof.manifest"), "the server has left it")
	s.pulse(1)
	s.wait()
	require.True(t, s.acknowledged(func() { s.put(1, "late") }))
	again := started(t, files.Kill(), logged(aof.Always), func(set *Settings) { set.Dir = "other" })
	require.Equal(t, keysOfLoad+1, again.store.Keys())
}

func TestLoadingCanBeStopped(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("dir/dump.rdb", dumped(t))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, newServer(t, files).Start(ctx), context.Canceled)
}

func TestOneServerUsesADirectory(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	err := newServer(t, files).Start(context.Background())
	require.EqualError(t, err, "another server uses the directory dir: stop that server, or choose another directory with --dir")

	reader := started(t, files, func(set *Settings) { set.Save = nil }) // it writes nothing
	require.ErrorContains(t, reader.Save(), "another server uses the directory")
	require.NoError(t, s.Stop(false, true))
	require.NoError(t, reader.Save())
	require.ErrorContains(t, newServer(t, files).Start(context.Background()), "another server uses the directory")
}

func TestChangingTheDirectory(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files)
	started(t, files, func(set *Settings) { set.Dir = "taken" })
	s.put(1, "a")
	to := func(dir string) error {
		set := *s.settings.Load()
		set.Dir = dir
		return s.Configure(set)
	}
	require.ErrorContains(t, to("taken"), "another server uses the directory")
	require.NoError(t, s.Save())
	require.NoError(t, to("other"))
	require.NoError(t, s.Save())
	require.Equal(t, []string{"dir/dump.rdb", "other/dump.rdb"}, files.Names())
	started(t, files) // the first directory is free again
}

func TestEmptyDBFilename(t *testing.T) {
	files := &fstest.Memory{}
	files.Put("temp-dir", []byte("of somebody else, beside dir"))
	s := started(t, files, func(set *Settings) { set.DBFilename = "" })
	require.Equal(t, []string{"temp-dir"}, files.Names())
	require.EqualError(t, s.Save(), "dbfilename is empty: set it to the name of the snapshot")
}

var _ fs.FS = fs.OS{}
