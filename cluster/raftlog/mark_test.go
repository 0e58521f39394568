package raftlog

import (
	"bytes"
	"testing"

	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// newest returns options that check the end of the log, with a snapshot up to an index.
func newest(index uint64) Options {
	return Options{Sync: true, SegmentSize: 3*36 + 1, Snapshot: func() (raft.SnapshotMeta, error) { return raft.SnapshotMeta{Index: index}, nil }}
}

// acknowledged returns the files of the entries 1 to 12, all of which were acknowledged. A record has 36 bytes.
func acknowledged(t *testing.T) (*fstest.Memory, []string) {
	m := &fstest.Memory{}
	s := open(t, m, newest(0))
	require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 5))
	require.NoError(t, s.StoreLogs(entries(1, 12)))
	return m.PowerCut(nil), logFiles(m)
}

// withMark returns files with the mark of other files: a power cut may leave an older mark.
func withMark(m, of *fstest.Memory) *fstest.Memory {
	return replaced(m, dir+"/mark", of.Get(dir+"/mark"))
}

// A log that lacks entries that the node has acknowledged is refused, whatever has removed them.
func TestALogWithoutItsEndIsRefused(t *testing.T) {
	m, paths := acknowledged(t)
	m = m.Kill()
	s := open(t, m, newest(0))
	require.NoError(t, s.Close())
	whole := m.Get(paths[2])
	remove := func(paths ...string) func(*fstest.Memory) {
		return func(m *fstest.Memory) {
			for _, path := range paths {
				require.NoError(t, m.Remove(path))
			}
		}
	}
	last := func(data []byte) func(*fstest.Memory) { return func(m *fstest.Memory) { m.Put(paths[2], data) } }
	for name, test := range map[string]struct {
		damage func(*fstest.Memory)
		says   string
	}{
		"the whole log is lost":         {remove(paths...), "the log ends with entry 0, and this node has acknowledged entries up to 12"},
		"its files are empty":           {func(m *fstest.Memory) { m.Put(paths[0], nil); remove(paths[1:]...)(m) }, "ends with entry 0"},
		"its last file is lost":         {remove(paths[2]), "the log ends with entry 8, and this node has acknowledged entries up to 12"},
		"it is cut between records":     {last(whole[:36]), "the log ends with entry 9, and"},
		"it is cut in a record":         {last(whole[:50]), "up to 12: the file ends within the header of a record"},
		"its tail is zeros":             {last(append(bytes.Clone(whole[:36]), make([]byte, len(whole)-36)...)), "up to 12: a record has the checksum"},
		"its last byte is wrong":        {last(append(bytes.Clone(whole[:len(whole)-1]), 'x')), "the log ends with entry 11, and"},
		"the log and the mark are lost": {remove(append(paths, dir+"/mark")...), "the file is lost"},
		"its beginning is lost":         {remove(paths[0]), "the log begins with entry 5, and no snapshot has the entries before it"},
		"the mark is damaged":           {func(m *fstest.Memory) { m.Put(dir+"/mark", make([]byte, markSize)) }, "its checksum is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			m := m.Kill()
			test.damage(m)
			before := contents(m)
			for range 2 {
				_, err := Open(m, dir, newest(0))
				require.ErrorContains(t, err, test.says)
				require.ErrorContains(t, err, "remove the directory /data/raft: then the node joins the cluster as a new one")
				require.Equal(t, before, contents(m), "nothing is changed")
			}
		})
	}
}

// contents returns all files.
func contents(m *fstest.Memory) (all []string) {
	for _, name := range m.Names() {
		all = append(all, name, string(m.Get(name)))
	}
	return all
}

// What a node may find after a fault of its process or of the power is not refused.
func TestALogWithItsEndIsNotRefused(t *testing.T) {
	empty := &fstest.Memory{}
	_, err := Open(empty, dir, newest(0))
	require.NoError(t, err)
	m, paths := acknowledged(t)

	torn := replaced(m, paths[2], append(m.Get(paths[2]), "torn"...))
	s := open(t, torn, newest(0))
	requireEntries(t, s, 1, 12)
	requireEntries(t, open(t, withMark(m, empty), newest(0)), 1, 12) // an older mark

	joined := empty.Kill() // a node that joins knows the term before it has an entry
	require.NoError(t, open(t, joined, newest(0)).SetUint64([]byte("CurrentTerm"), 7))
	requireBounds(t, open(t, joined.Kill(), newest(0)), 0, 0)

	s = open(t, m.Kill(), newest(0))
	require.NoError(t, s.DeleteRange(7, 12)) // another leader replaces the end
	files := s.files.(*fstest.Memory).PowerCut(nil)
	requireEntries(t, open(t, files, newest(0)), 1, 6)

	s = open(t, m.Kill(), newest(20)) // a snapshot of the leader replaces the log
	require.NoError(t, s.RemoveBehind(raft.SnapshotMeta{Index: 20}))
	files = s.files.(*fstest.Memory).PowerCut(nil)
	requireBounds(t, open(t, files, newest(20)), 0, 0)

	old := m.Kill() // a disk that ignores fsync brings back the mark from before another leader replaced the end
	s = open(t, old, newest(0))
	later := entry(7)
	later.Term = 9
	require.NoError(t, s.DeleteRange(7, 12))
	require.NoError(t, s.StoreLogs([]*raft.Log{later}))
	requireBounds(t, open(t, withMark(old, m), newest(0)), 1, 7)
}
