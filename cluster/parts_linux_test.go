package cluster

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// partsIn returns the parts of snapshots in the directory of a node.
func partsIn(t *testing.T, dir string) []string {
	all, err := filepath.Glob(filepath.Join(dir, "snapshots", "*.tmp"))
	require.NoError(t, err)
	return all
}

// A process ends while it writes a snapshot. Its part is removed at the next start.
func TestAStartRemovesAPartOfASnapshot(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		m := w.machines[0]
		w.form(m)
		m.stop()
		dir := filepath.Join(m.dir, "raft")
		part := filepath.Join(dir, "snapshots", "2-70-1795795395197.tmp")
		require.NoError(t, os.MkdirAll(part, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(part, "state.bin"), []byte("REDIS"), 0o600))
		m.start(m)
		w.leader()
		require.Empty(t, partsIn(t, dir))
	})
}

// A full disk has no room for the rest of a snapshot. The part that it has goes, and another snapshot beside it stays.
func TestAFullDiskKeepsNoPartOfASnapshot(t *testing.T) {
	d := &disk{o: DiskOptions{FS: &files{}, Dir: t.TempDir()}, log: hclog.NewNullLogger()}
	require.NoError(t, d.openLog())
	defer d.logs.Close()
	_, transport := raft.NewInmemTransport("")
	begin := func(index uint64) raft.SnapshotSink {
		s, err := d.snapshots.Create(raft.SnapshotVersionMax, index, 2, raft.Configuration{}, 1, transport)
		require.NoError(t, err)
		return s
	}
	whole, cut := begin(1), begin(2)
	fillUp(t, filepath.Join(d.o.Dir, "snapshots", cut.ID()+".tmp", "state.bin"))
	_, err := cut.Write(make([]byte, 1<<20))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorIs(t, cut.Cancel(), syscall.ENOSPC)
	require.Len(t, partsIn(t, d.o.Dir), 1)
	require.NoError(t, whole.Close())
	require.Empty(t, partsIn(t, d.o.Dir))
	newest, err := d.newest()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(newest.ID, "2-1-"), newest.ID)
}

// fillUp makes an open file have no room for more.
func fillUp(t *testing.T, path string) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, one := range open {
		if target, _ := os.Readlink("/proc/self/fd/" + one.Name()); target == path {
			fd, err := strconv.Atoi(one.Name())
			require.NoError(t, err)
			require.NoError(t, syscall.Dup3(int(full.Fd()), fd, syscall.O_CLOEXEC))
			return
		}
	}
	require.Fail(t, "the file is not open")
}
