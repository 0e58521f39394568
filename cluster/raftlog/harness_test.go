package raftlog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// dir is the directory of every test in memory.
const dir = "/data/raft"

func seeded(t testing.TB) *rand.Rand { return rand.New(randtest.Source(t)) }

// open opens a store that must open, and gives it a term, as Raft does before the first entry.
func open(t testing.TB, files fs.FS, o Options) *Store {
	t.Helper()
	s, err := Open(files, dir, o)
	require.NoError(t, err)
	if term, err := s.GetUint64([]byte("CurrentTerm")); err == nil && term == 0 {
		require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 1))
	}
	return s
}

// reopen closes a store, which must work, and opens it again.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	require.NoError(t, s.Close())
	return open(t, s.files, s.options)
}

// entry returns an entry whose data tells its index.
func entry(index uint64) *raft.Log {
	return &raft.Log{Index: index, Term: 1 + index/10, Type: raft.LogType(index % 6), Data: fmt.Appendf(nil, "data of %3d", index)}
}

// entries returns the entries from first to last.
func entries(first, last uint64) (logs []*raft.Log) {
	for i := first; i <= last; i++ {
		logs = append(logs, entry(i))
	}
	return logs
}

// bounds returns the first and the last index.
func bounds(t testing.TB, s raft.LogStore) (first, last uint64) {
	t.Helper()
	first, err := s.FirstIndex()
	require.NoError(t, err)
	last, err = s.LastIndex()
	require.NoError(t, err)
	return first, last
}

// requireBounds requires a first and a last index, and that GetLog finds these entries only.
func requireBounds(t testing.TB, s *Store, first, last uint64) {
	t.Helper()
	gotFirst, gotLast := bounds(t, s)
	require.Equal(t, []uint64{first, last}, []uint64{gotFirst, gotLast})
	for _, outside := range []uint64{0, first - 1, last + 1} {
		require.ErrorIs(t, s.GetLog(outside, &raft.Log{}), raft.ErrLogNotFound, "entry %d", outside)
	}
}

// requireEntries requires that the store has the entries from first to last, and no others.
func requireEntries(t testing.TB, s *Store, first, last uint64) {
	t.Helper()
	requireBounds(t, s, first, last)
	for i := first; i <= last && i > 0; i++ {
		requireEntry(t, s, entry(i))
	}
}

func requireEntry(t testing.TB, s raft.LogStore, want *raft.Log) {
	t.Helper()
	var got raft.Log
	require.NoError(t, s.GetLog(want.Index, &got))
	if !same(&got, want) {
		require.Failf(t, "entries differ", "entry %d is %.200v, not %.200v", want.Index, got, *want)
	}
}

// same reports whether two entries are the same, in all that the log stores.
func same(a, b *raft.Log) bool {
	return a.Index == b.Index && a.Term == b.Term && a.Type == b.Type && bytes.Equal(a.Data, b.Data)
}

// logFiles returns the paths of the log's files.
func logFiles(m *fstest.Memory) (paths []string) {
	for _, name := range m.Names() {
		if len(name) > len(extension) && name[len(name)-len(extension):] == extension {
			paths = append(paths, name)
		}
	}
	return paths
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
