package persistence

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

const (
	logDir   = "dir/appendonlydir/"
	manifest = logDir + "appendonly.aof.manifest"
)

// held returns the names and the bytes of all files.
func held(files *fstest.Memory) map[string]string {
	all := map[string]string{}
	for _, name := range files.Names() {
		all[name] = string(files.Get(name))
	}
	return all
}

// filled returns the files of a server with a key a, which has stopped. change is of its settings.
func filled(t *testing.T, change ...func(*Settings)) *fstest.Memory {
	files := &fstest.Memory{}
	s := started(t, files, change...)
	s.put(1, "a")
	require.NoError(t, s.Stop(len(change) == 0, true))
	return files.Kill()
}

// moved gives files other names, and removes those whose new name is "".
func moved(files *fstest.Memory, names ...string) *fstest.Memory {
	for from, content := range held(files) {
		to := strings.NewReplacer(names...).Replace(from)
		if to != from {
			_ = files.Remove(from)
			if !strings.HasSuffix(to, "-") {
				files.Put(to, []byte(content))
			}
		}
	}
	return files
}

func off(set *Settings) { set.AppendOnly = false }

// TestAStartThatWouldIgnoreDataIsRefused starts on directories that hold more than a start would load. Each start names what
// it would ignore and the next step, and changes nothing.
func TestAStartThatWouldIgnoreDataIsRefused(t *testing.T) {
	logs := logged(aof.Always)
	node := func(set *Settings) { set.Exports = true }
	for name, test := range map[string]struct {
		files  *fstest.Memory
		change func(*Settings)
		want   []string
	}{
		"the manifest is lost": {moved(filled(t, logs), ".manifest", "-"), logs, []string{"manifest", "is missing",
			"appendonly.aof.1.base.rdb, appendonly.aof.1.incr.aof", "restore the manifest"}},
		"only increments are left": {moved(filled(t, logs), ".manifest", "-", ".base.rdb", "-"), logs, []string{"is missing", "1.incr.aof"}},
		"another appendfilename":   {filled(t, logs), func(set *Settings) { logs(set); set.AppendName = "other.aof" }, []string{"appendonly.aof.manifest"}},
		"another appenddirname": {filled(t, logs), func(set *Settings) { logs(set); set.AppendDir = "other" },
			[]string{"dir/appendonlydir would be ignored", "set appenddirname"}},
		"another dbfilename": {filled(t), func(set *Settings) { set.DBFilename = "other.rdb" },
			[]string{"dir/dump.rdb would be ignored", `dbfilename is "other.rdb"`}},
		"another dbfilename, with a log": {filled(t), func(set *Settings) { logs(set); set.DBFilename = "" }, []string{"dir/dump.rdb"}},
		"the log is switched off":        {filled(t, logs), off, []string{"dir/appendonlydir would be ignored", "start with appendonly yes"}},
		"a log of one file is switched off": {moved(&fstest.Memory{}), func(set *Settings) { off(set) },
			[]string{"dir/appendonly.aof would be ignored", "start with appendonly yes"}},
		"a log of one file beside the log": {filled(t, logs), logs, []string{"dir/appendonly.aof and the log in dir/appendonlydir are two logs"}},
		"a log of one file with another name": {&fstest.Memory{}, func(set *Settings) { logs(set); set.AppendName = "b.aof" },
			[]string{"dir/appendonly.aof would be ignored"}},
		"a snapshot of Dragonfly": {&fstest.Memory{}, logs, []string{"dir/dump-summary.dfs", "SAVE RDB"}},
		"a node's directory":      {&fstest.Memory{}, logs, []string{"dir/raft would be ignored", "start with cluster-nodes"}},
		"a log, and cluster-nodes": {filled(t, logs), func(set *Settings) { off(set); node(set) },
			[]string{"dir/appendonlydir would be ignored", "--cluster-import"}},
		"a snapshot, and cluster-nodes": {filled(t), node, []string{"dir/dump.rdb would be ignored", "--cluster-import"}},
		"a log in a node's directory": {filled(t, logs), func(set *Settings) { off(set); node(set) },
			[]string{"dir/appendonlydir would be ignored", "dir/raft"}},
		"an increment that the manifest does not name": {filled(t, logs), logs, []string{"does not list appendonly.aof.2.incr.aof"}},
		"a base of another run":                        {filled(t, logs), logs, []string{"does not list appendonly.aof.2.base.rdb"}},
		"a manifest that is too large":                 {filled(t, logs), logs, []string{manifest + " has more than"}},
		"a manifest with a path":                       {filled(t, logs), logs, []string{"File can't be a path"}},
		"an empty log of one file":                     {filled(t), logs, []string{"dir/dump.rdb would be ignored", "newer than dir/appendonly.aof"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := test.files
			for part, content := range map[string]string{
				"a log of one file":  "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n",
				"an increment that":  "*1", // of: 2.incr.aof
				"a base of another":  "REDIS0009",
				"a snapshot of Drag": "x", "a node's directory": "x", "a log in a node's": "x",
				"a manifest that is": strings.Repeat("# nothing\n", 200_000), "a manifest with": "file ../x.aof seq 1 type i\n", "an empty log": "",
			} {
				path := map[string]string{
					"a log of one file": "dir/appendonly.aof", "an increment that": logDir + "appendonly.aof.2.incr.aof",
					"a base of another": logDir + "appendonly.aof.2.base.rdb", "a snapshot of Drag": "dir/dump-summary.dfs",
					"a node's directory": "dir/raft/node", "a log in a node's": "dir/raft/node", "a manifest that is": manifest,
					"a manifest with": manifest, "an empty log": "dir/appendonly.aof",
				}[part]
				if strings.HasPrefix(name, part) {
					files.Put(path, []byte(content))
				}
			}
			before := held(files)
			err := newServer(t, files, test.change).Start(context.Background())
			for _, want := range append(test.want, "nothing was changed") {
				require.ErrorContains(t, err, want)
			}
			require.Equal(t, before, held(files))
		})
	}
}

// TestOldDataAreOfNoInterest starts beside data with names that end in another way.
func TestOldDataAreOfNoInterest(t *testing.T) {
	files := moved(filled(t, logged(aof.Always)), "appendonlydir", "appendonlydir.old")
	files.Put("dir/dump.rdb.old", []byte("REDIS0009"))
	files.Put("dir/raft.old-1/node", nil)
	files.Put("dir/lists/data", nil)
	files.Put("dir/temp-1.rdb", []byte("half"))
	files.Put(logDir+"appendonly.aof.1.incr.aof", nil) // an interrupted start leaves it
	require.Empty(t, started(t, files, logged(aof.Always)).contents())
}

// TestASnapshotAfterAFailedRewrite: a rewrite that fails late leaves an empty file behind the one that the log goes on
// with. A snapshot that is newer than the empty file is still older than the log.
func TestASnapshotAfterAFailedRewrite(t *testing.T) {
	files, seconds := &fstest.Memory{}, int64(0)
	files.Clock = func() int64 { return begin + seconds*1e9 }
	s := started(t, files, logged(aof.Always))
	s.put(1, "before")
	renamed := false
	files.Fault = func(op fstest.Op) error {
		if renamed && (op.Kind == "syncdir" || op.Kind == "rename") {
			return errDisk
		}
		renamed = renamed || op.Kind == "rename"
		return nil
	}
	require.NoError(t, s.BackgroundRewrite())
	s.wait()
	require.True(t, renamed)
	files.Fault = nil
	require.Empty(t, files.Get(logDir+"appendonly.aof.2.incr.aof"))
	require.Contains(t, string(files.Get(logDir+"appendonly.aof.manifest")), "2.incr.aof")
	seconds = 10
	s.now.Store(begin + 10e9)
	require.NoError(t, s.Save())
	seconds = 20
	require.True(t, s.acknowledged(func() { s.put(1, "after") }))
	require.Len(t, started(t, files.Kill(), logged(aof.Always)).contents(), 2)
}

// TestASnapshotBesideTheLog starts on logs with snapshots that are older, as old, and newer.
func TestASnapshotBesideTheLog(t *testing.T) {
	at := func(files *fstest.Memory, ns int64) *fstest.Memory {
		files.Clock = func() int64 { return begin + ns }
		return files
	}
	write := func(files *fstest.Memory, seconds int64, save bool, change func(*Settings), keys ...string) *fstest.Memory {
		s := newServer(t, at(files, seconds*1e9), logged(aof.Always), change)
		s.now.Store(begin + seconds*1e9)
		require.NoError(t, s.Start(context.Background()))
		s.put(1, keys...)
		require.NoError(t, s.Stop(save, true))
		return files.Kill()
	}
	both, only := func(*Settings) {}, func(set *Settings) { off(set) }
	older := write(&fstest.Memory{}, 1, true, only, "old")
	older = write(older, 50, false, both, "a")
	require.Len(t, started(t, older, logged(aof.Always)).contents(), 2)

	same := write(&fstest.Memory{}, 1, true, both, "a", "b")
	require.Len(t, started(t, same, logged(aof.Always)).contents(), 2)
	files := same.Kill()
	s := started(t, files, logged(aof.Always))
	set := *s.settings.Load()
	set.AppendOnly = false
	require.NoError(t, s.Configure(set))
	at(files, 3600e9)
	s.now.Add(3600e9)
	s.put(7, "later")
	require.NoError(t, s.Stop(true, true))
	before := held(files.Kill())
	err := newServer(t, files.Kill(), logged(aof.Always)).Start(context.Background())
	require.ErrorContains(t, err, "dir/dump.rdb would be ignored")
	require.ErrorContains(t, err, "newer than dir/appendonlydir, and they hold different keys")
	require.Equal(t, before, held(files.Kill()))
	copied := files.Kill()
	at(copied, 9000e9)
	copied.Put("dir/copy.rdb", files.Get("dir/dump.rdb"))
	for _, name := range copied.Names() {
		if strings.HasPrefix(name, logDir) {
			require.NoError(t, copied.Remove(name))
		}
	}
	require.Len(t, started(t, copied, off).contents(), 3, "a copy of the snapshot holds the same")
}

// TestLostAndFoundKeysDiffer compares a snapshot with a store that differs in one key.
func TestLostAndFoundKeysDiffer(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.Always))
	s.put(1, "a", "b")
	require.NoError(t, s.Save())
	same := func() bool {
		is, err := s.loader.sameKeys(t.Context(), "dir/dump.rdb")
		require.NoError(t, err)
		return is
	}
	require.True(t, same())
	s.put(5, "a")
	require.False(t, same())
	s.put(1, "a", "b", "c")
	require.False(t, same())
	require.NoError(t, s.Save())
	require.True(t, same())
	s.set("c", 3, s.Now()/1e6+50_000)
	require.False(t, same(), "an expiry")
	require.NoError(t, s.Save())
	require.True(t, same())
	s.now.Add(60e9)
	require.True(t, same(), "an expired key counts nowhere")
}

// TestNamesThatAreNoFiles starts on a directory of the operating system in which a name has something else than a file. No
// start waits for the other end of a pipe.
func TestNamesThatAreNoFiles(t *testing.T) {
	for _, name := range []string{"dump.rdb", "appendonlydir", "appendonly.aof", "appendonlydir/appendonly.aof.manifest", "appendonlydir/appendonly.aof.1.base.rdb"} {
		for kind, put := range map[string]func(path string) error{
			"a named pipe":              func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"a device":                  func(path string) error { return os.Symlink("/dev/zero", path) },
			"a directory":               func(path string) error { return os.Mkdir(path, 0o700) },
			"link to something that is": func(path string) error { return os.Symlink("nothing", path) },
		} {
			if name == "appendonlydir" && kind == "a directory" {
				continue
			}
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, put(path))
			before := names(t, dir)
			ended := make(chan error, 1)
			go func() {
				ended <- newServer(t, fs.OS{}, logged(aof.Always), func(set *Settings) { set.Dir = dir }).Start(context.Background())
			}()
			select {
			case err := <-ended:
				require.ErrorContains(t, err, filepath.Base(path), "%s is %s", name, kind)
				require.ErrorContains(t, err, "nothing was changed", "%s is %s", name, kind)
				require.Equal(t, before, names(t, dir), "%s is %s", name, kind)
			case <-time.After(patience):
				t.Fatalf("%s is %s: the start hangs", name, kind)
			}
		}
	}
}

// names returns all names in a directory of the operating system, except the lock.
func names(t *testing.T, dir string) []string {
	all := map[string]bool{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all[path] = filepath.Base(path) != lockName
		return err
	}))
	maps.DeleteFunc(all, func(_ string, keep bool) bool { return !keep })
	return slices.Sorted(maps.Keys(all))
}

// TestUnreadableFilesAreRefused lets the operating system refuse each file that a start opens.
func TestUnreadableFilesAreRefused(t *testing.T) {
	for _, part := range []string{"dump.rdb", ".manifest", ".base.rdb", ".incr.aof"} {
		files, change := filled(t, logged(aof.Always)), logged(aof.Always)
		if part == "dump.rdb" {
			files, change = filled(t), off
		}
		before := held(files)
		files.Fault = func(op fstest.Op) error {
			if op.Kind == "open" && strings.HasSuffix(op.Path, part) {
				return syscall.EACCES
			}
			return nil
		}
		err := newServer(t, files, change).Start(context.Background())
		require.ErrorContains(t, err, part)
		require.ErrorContains(t, err, "nothing was changed")
		require.Equal(t, before, held(files))
	}
}

// TestTheFirstLogAfterAKill kills a start on a snapshot before each operation that changes a file. The next start finds the
// keys: what the first rewrite leaves is no lost log.
func TestTheFirstLogAfterAKill(t *testing.T) {
	snapshot := filled(t)
	for n := 0; ; n++ {
		files := snapshot.Kill()
		files.Fault = failFrom(n, syscall.EIO)
		err := newServer(t, files, logged(aof.Always)).Start(context.Background())
		for _, next := range []*fstest.Memory{files.Kill(), files.PowerCut(nil), files.PowerCut(newRand(t))} {
			require.Equal(t, map[string]string{"0/a": "1"}, started(t, next, logged(aof.Always)).contents(), "after %d operations", n)
		}
		if err == nil {
			return
		}
	}
}

// TestALogThatWasNotLoadedIsNotReplaced turns the log on in a directory that has one.
func TestALogThatWasNotLoadedIsNotReplaced(t *testing.T) {
	files := filled(t, logged(aof.Always))
	s := started(t, files, func(set *Settings) { set.Dir = "new" })
	set := *s.settings.Load()
	set.Dir = "dir"
	require.NoError(t, s.Configure(set))
	before := held(files)
	set.AppendOnly = true
	require.ErrorContains(t, s.Configure(set), "it is a log that this server has not loaded")
	require.Equal(t, before, held(files))
	set.AppendOnly, set.Dir = false, "new"
	require.NoError(t, s.Configure(set), "the log is still off, so the directory may change")
}

// TestARefusedLogChangesNothing: CONFIG SET names a directory that has a log, and turns the log on. The server stays
// in its directory, and writes its snapshots there.
func TestARefusedLogChangesNothing(t *testing.T) {
	files := filled(t, logged(aof.Always))
	s := started(t, files, func(set *Settings) { set.Dir = "new" })
	set := *s.settings.Load()
	set.Dir, set.AppendOnly = "dir", true
	require.ErrorContains(t, s.Configure(set), "it is a log that this server has not loaded")
	require.NoError(t, s.Save())
	require.NotEmpty(t, files.Get("new/dump.rdb"))
	require.NotContains(t, files.Names(), "dir/dump.rdb")
	require.ErrorContains(t, newServer(t, files, func(set *Settings) { set.Dir = "new" }).Start(t.Context()), "another server")
	require.Len(t, started(t, files, logged(aof.Always)).contents(), 1, "nobody has locked it")
}
