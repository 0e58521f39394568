package fstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/persistence/fs"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, m *Memory, name, text string) fs.File {
	t.Helper()
	f, err := m.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	require.NoError(t, err)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	return f
}

func TestAPowerCutLeavesWhatWasSynced(t *testing.T) {
	m := &Memory{}
	write(t, m, "d/unsynced", "a")
	f := write(t, m, "d/file", "one")
	require.NoError(t, f.Sync())
	require.Empty(t, m.PowerCut(nil).Names(), "no name without its directory")
	require.NoError(t, m.SyncDir("d"))
	_, err := f.Write([]byte("two"))
	require.NoError(t, err)
	require.NoError(t, m.Rename("d/file", "d/moved"))
	require.NoError(t, m.Remove("d/unsynced"))

	require.Equal(t, []string{"d/moved"}, m.Kill().Names())
	require.Equal(t, "onetwo", string(m.Kill().Get("d/moved")))
	cut := m.PowerCut(nil)
	require.Equal(t, []string{"d/file", "d/unsynced"}, cut.Names())
	require.Equal(t, "one", string(cut.Get("d/file")))
	require.Empty(t, cut.Get("d/unsynced"))
	for n := range uint64(100) {
		cut := m.PowerCut(rand.New(rand.NewPCG(n, 0)))
		for _, name := range cut.Names() {
			if name != "d/unsynced" {
				require.Contains(t, []string{"one", "onet", "onetw", "onetwo", "one\x00\x00\x00", "onet\x00\x00", "onetw\x00"}, string(cut.Get(name)))
			}
		}
	}
}

// A sync copies only what was written since the last one. A power cut must still leave the whole file as it was at that sync.
func TestAPowerCutLeavesTheLastSyncOfRandomWrites(t *testing.T) {
	r := rand.New(randtest.Source(t))
	m := &Memory{}
	f := write(t, m, "f", "")
	require.NoError(t, m.SyncDir("."))
	synced := []byte{}
	flags := []int{os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_TRUNC}
	for range 10_000 {
		var err error
		switch r.IntN(8) {
		case 0:
			f, err = m.Open("f", flags[r.IntN(len(flags))])
		case 1:
			err = f.Truncate(r.Int64N(100))
		case 2, 3:
			err = f.Sync()
			synced = m.Get("f")
		default:
			_, err = f.Write([]byte{byte(r.Uint32()), byte(r.Uint32())})
		}
		require.NoError(t, err)
		require.Equal(t, synced, m.PowerCut(nil).Get("f"))
		require.Equal(t, m.Get("f"), m.Kill().Get("f"))
	}
}

func TestDirectoriesAreRenamed(t *testing.T) {
	m := &Memory{}
	for name, files := range map[string]fs.FS{"memory": m, "os": fs.OS{}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, files.Mkdir(dir+"/a"))
			require.NoError(t, files.Mkdir(dir+"/a/sub"))
			touch(t, files, dir+"/a/sub/f")
			require.NoError(t, files.Rename(dir+"/a", dir+"/b"))
			require.ErrorIs(t, files.Rename(dir+"/a", dir+"/c"), os.ErrNotExist)
			there, err := fs.Exists(files, dir+"/b/sub/f")
			require.NoError(t, err)
			require.True(t, there)
			there, err = fs.Exists(files, dir+"/a/sub/f")
			require.NoError(t, err)
			require.False(t, there)
		})
	}
}

func TestAPowerCutMayBringTheOldNameOfADirectoryBack(t *testing.T) {
	m := &Memory{}
	m.Put("p/a/f", []byte("one"))
	m.Put("p/n/f", []byte("two"))
	require.NoError(t, m.Rename("p/a", "p/b"))
	require.NoError(t, m.Rename("p/n", "p/a"))
	require.Equal(t, []string{"p/a/f", "p/b/f"}, m.Kill().Names())
	require.Equal(t, []string{"p/a/f", "p/n/f"}, m.PowerCut(nil).Names())
	found := map[string]bool{}
	for n := range uint64(100) {
		cut := m.PowerCut(rand.New(rand.NewPCG(n, 0)))
		found[fmt.Sprint(cut.Names())] = true
	}
	require.Equal(t, map[string]bool{"[p/a/f p/n/f]": true, "[p/b/f p/n/f]": true, "[p/a/f p/b/f]": true}, found)
	require.NoError(t, m.SyncDir("p"))
	require.Equal(t, []string{"p/a/f", "p/b/f"}, m.PowerCut(nil).Names())
}

func TestFaults(t *testing.T) {
	m := &Memory{}
	no := errors.New("no")
	m.Fault = func(op Op) error {
		switch {
		case op.Kind == "write":
			return &Short{2, no}
		case op.N == 3:
			return no
		}
		return nil
	}
	f, err := m.Open("f", os.O_WRONLY|os.O_CREATE)
	require.NoError(t, err)
	n, err := f.Write([]byte("abc"))
	require.ErrorIs(t, err, no)
	require.Equal(t, 2, n)
	require.NoError(t, f.Sync())
	require.ErrorIs(t, m.Rename("f", "g"), no)
	require.Equal(t, "ab", string(m.Get("f")))
	require.Equal(t, 4, m.Ops())
}

// TestBytesOfAFailedSyncAreForgotten is what Linux does: the kernel marks the pages of a failed sync as clean.
func TestBytesOfAFailedSyncAreForgotten(t *testing.T) {
	m := &Memory{}
	f := write(t, m, "f", "one")
	require.NoError(t, f.Sync())
	require.NoError(t, m.SyncDir("."))
	_, err := f.Write([]byte("two"))
	require.NoError(t, err)
	m.Fault = func(op Op) error {
		if op.Kind == "sync" {
			return &Forgotten{errors.New("no")}
		}
		return nil
	}
	require.EqualError(t, f.Sync(), "sync f: no")
	m.Fault = nil
	_, err = f.Write([]byte("three"))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.Equal(t, "onetwothree", string(m.Get("f")))
	require.Equal(t, "one\x00\x00\x00three", string(m.PowerCut(nil).Get("f")))
	f, err = m.Open("f", os.O_WRONLY)
	require.NoError(t, err)
	_, err = f.Write([]byte("onetwo"))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.Equal(t, "onetwothree", string(m.PowerCut(nil).Get("f")))
}

func TestFilesAreAsInPackageOS(t *testing.T) {
	m := &Memory{}
	for name, files := range map[string]fs.FS{"memory": m, "os": fs.OS{}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, files.Mkdir(dir+"/sub"))
			require.NoError(t, files.Mkdir(dir+"/sub"))
			require.NoError(t, files.Remove(touch(t, files, dir+"/sub/gone")))
			path := touch(t, files, dir+"/sub/f")
			_, err := files.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
			require.ErrorIs(t, err, os.ErrExist)
			_, err = files.Open(path+"x", os.O_RDONLY)
			require.ErrorIs(t, err, os.ErrNotExist)
			f, err := files.Open(path, os.O_WRONLY|os.O_APPEND)
			require.NoError(t, err)
			_, err = f.Write([]byte("789"))
			require.NoError(t, err)
			require.NoError(t, f.Truncate(8))
			size, err := f.Size()
			require.NoError(t, err)
			require.EqualValues(t, 8, size)
			require.NoError(t, errors.Join(f.Sync(), f.Close(), files.SyncDir(dir+"/sub")))
			require.NoError(t, files.Rename(path, dir+"/sub/g"))
			names, err := files.List(dir + "/sub")
			require.NoError(t, err)
			require.Equal(t, []string{"g"}, names)
			there, err := fs.Exists(files, path)
			require.NoError(t, err)
			require.False(t, there)
			f, err = files.Open(dir+"/sub/g", os.O_RDONLY)
			require.NoError(t, err)
			b := make([]byte, 20)
			n, err := f.Read(b)
			require.NoError(t, err)
			require.Equal(t, "12345678", string(b[:n]))
			n, err = f.ReadAt(b[:2], 7)
			require.Error(t, err)
			require.Equal(t, "8", string(b[:n]))
			requireLocks(t, files, dir+"/LOCK")
		})
	}
}

// touch makes a file of six bytes.
func touch(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	f, err := files.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	require.NoError(t, err)
	_, err = f.Write([]byte("123456"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return name
}

func requireLocks(t *testing.T, files fs.FS, name string) {
	t.Helper()
	first, err := files.Lock(name)
	require.NoError(t, err)
	_, err = files.Lock(name)
	require.ErrorIs(t, err, fs.ErrLocked)
	require.NoError(t, first.Close())
	second, err := files.Lock(name)
	require.NoError(t, err)
	require.NoError(t, second.Close())
}
