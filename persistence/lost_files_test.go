package persistence

import (
	"os"
	"path/filepath"
	"testing"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

// TestALostFileOfTheLogIsAFailedDisk removes one file of the log after the other. The log has failed within a second, and
// is whole again after its rewrite.
func TestALostFileOfTheLogIsAFailedDisk(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.EverySecond))
	s.put(1, "a")
	for _, kind := range []string{"*.manifest", "*.base.rdb", "*.incr.aof"} {
		for _, name := range files.Names() {
			if match, _ := filepath.Match(kind, filepath.Base(name)); match {
				require.NoError(t, files.Remove(name))
			}
		}
		s.pulse(1)
		s.wait()
		require.NotEqual(t, "0", s.info("aof_rewrites"), kind)
		s.pulse(3)
		s.wait()
		require.Equal(t, "ok", s.info("aof_last_write_status"))
		require.Empty(t, s.condition.Load().LogFailed)
		require.Equal(t, map[string]string{"0/a": "1"}, started(t, files.Kill(), logged(aof.EverySecond)).contents())
	}
}

// TestALostDirectoryIsAFailedDisk removes the directory of the operating system. The log fails, and stays so until the
// directory is back. A stop meanwhile is an error.
func TestALostDirectoryIsAFailedDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o755))
	in := func(set *Settings) { set.Dir, set.Save = dir, []SavePoint{{3600, 1}} }
	s := started(t, fs.OS{}, logged(aof.EverySecond), in)
	s.put(1, "a")
	s.pulse(2)
	require.Empty(t, s.condition.Load().LogFailed)
	require.NoError(t, os.RemoveAll(dir))
	s.pulse(3)
	s.wait()
	require.Equal(t, Condition{LogFailed: "no such file or directory", SaveFailed: true}, *s.condition.Load())
	require.Equal(t, "err", s.info("aof_last_write_status"))
	require.Equal(t, "err", s.info("rdb_last_bgsave_status"))
	require.NoDirExists(t, dir)
	require.NoError(t, os.Mkdir(dir, 0o755))
	s.pulse(8)
	s.wait()
	s.Tick()
	s.wait()
	require.Equal(t, Condition{}, *s.condition.Load())
	require.ErrorContains(t, newServer(t, fs.OS{}, logged(aof.EverySecond), in).Start(t.Context()), "another server uses the directory")
	require.NoError(t, os.RemoveAll(dir))
	require.Error(t, s.Stop(false, true), "the files are gone, and nothing has noticed it yet")
}
