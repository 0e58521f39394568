package raftlog

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// threeFiles returns a closed log of the entries 1 to 12, in files that begin with 1, 5 and 9.
func threeFiles(t testing.TB) (m *fstest.Memory, paths []string) {
	m = &fstest.Memory{}
	s := open(t, m, Options{Sync: true, SegmentSize: 3*36 + 1})
	require.NoError(t, s.StoreLogs(entries(1, 12)))
	require.NoError(t, s.Close())
	paths = logFiles(m)
	require.Len(t, paths, 3)
	return m, paths
}

// replaced returns a copy of files in which one file is another.
func replaced(m *fstest.Memory, path string, data []byte) *fstest.Memory {
	other := m.Kill()
	other.Put(path, data)
	return other
}

// TestTornTails cuts the last file at each byte. The whole records before the cut are there, and the log goes on after
// them.
func TestTornTails(t *testing.T) {
	m, paths := threeFiles(t)
	whole := m.Get(paths[2])
	for n := range len(whole) + 1 {
		for _, rest := range [][]byte{nil, make([]byte, len(whole)-n), []byte("garbage that nobody has written")} {
			after := replaced(m, paths[2], append(bytes.Clone(whole[:n]), rest...))
			s, err := Open(after, dir, Options{Sync: n%2 == 0})
			require.NoError(t, err)
			last := uint64(8 + n/36)
			if n == len(whole) {
				last = 12
			}
			requireEntries(t, s, 1, last)
			requireTornTail(t, s, paths[2], last)
			require.NoError(t, s.StoreLogs(entries(last+1, last+3)))
			again := reopen(t, s)
			requireEntries(t, again, 1, last+3)
		}
	}
}

func requireTornTail(t *testing.T, s *Store, path string, last uint64) {
	end := 0
	for i := uint64(9); i <= last; i++ {
		end += int(recordSize(entry(i)))
	}
	if end == 0 { // a file without entries goes
		require.NotEqual(t, path, s.segments[len(s.segments)-1].path)
		return
	}
	require.Equal(t, path, s.segments[len(s.segments)-1].path)
	size, err := s.segments[len(s.segments)-1].file.Size()
	require.NoError(t, err)
	require.EqualValues(t, end, size)
}

// TestDamage flips a bit of each byte. Only in the last record it can be a torn tail.
func TestDamage(t *testing.T) {
	m, paths := threeFiles(t)
	for i, path := range paths {
		whole := m.Get(path)
		lastRecord := len(whole) - int(recordSize(entry(12)))
		for n := range whole {
			damaged := bytes.Clone(whole)
			damaged[n] ^= 1 << (n % 8)
			s, err := Open(replaced(m, path, damaged), dir, Options{})
			if i == 2 && n >= lastRecord {
				require.NoError(t, err)
				requireEntries(t, s, 1, 11)
				continue
			}
			requireDamage(t, err, path, n/36*36)
		}
	}
}

// requireDamage requires an error that says where the damage is, and what to do.
func requireDamage(t *testing.T, err error, path string, offset int) {
	t.Helper()
	var damage *DamageError
	require.ErrorAs(t, err, &damage)
	require.Equal(t, path, damage.Path)
	require.EqualValues(t, offset, damage.Offset)
	require.ErrorContains(t, err, "remove the directory /data/raft: then the node joins the cluster as a new one")
}

func TestLostAndMisplacedFiles(t *testing.T) {
	m, paths := threeFiles(t)
	lost := m.Kill()
	require.NoError(t, lost.Remove(paths[1]))
	_, err := Open(lost, dir, Options{})
	require.EqualError(t, err, "the log of the cluster is damaged: /data/raft/log/00000000000000000009.log at byte 0: the file begins with entry 9, "+
		"and the file before it ends with entry 4. Restore the file from a copy, or remove the directory /data/raft: "+
		"then the node joins the cluster as a new one and gets all data from the leader")

	_, err = Open(replaced(m, paths[1], m.Get(paths[2])), dir, Options{})
	requireDamage(t, err, paths[1], 0)
	require.ErrorContains(t, err, "a record is of entry 9, and entry 5 must come here")
	_, err = Open(replaced(m, paths[1], nil), dir, Options{})
	requireDamage(t, err, paths[2], 0)
	_, err = Open(replaced(m, paths[2], m.Get(paths[0])), dir, Options{})
	requireDamage(t, err, paths[2], 0)

	require.NoError(t, lost.Remove(paths[0]))
	s, err := Open(lost, dir, Options{})
	require.NoError(t, err)
	requireEntries(t, s, 9, 12)
}

func TestOtherFilesAreIgnored(t *testing.T) {
	m, _ := threeFiles(t)
	for _, name := range []string{"notes", "1.log", "0000000000000000000x.log", "00000000000000000000.log", "99999999999999999999.log", "000000000000000000013.log"} {
		m.Put(dir+"/log/"+name, []byte("text"))
	}
	s, err := Open(m, dir, Options{})
	require.NoError(t, err)
	requireEntries(t, s, 1, 12)
}

// TestAnEmptyLastFile opens the files that a crash leaves between the creation of a file and the first write.
func TestAnEmptyLastFile(t *testing.T) {
	for _, content := range []string{"", "torn"} {
		m, paths := threeFiles(t)
		m.Put(dir+"/log/00000000000000000013.log", []byte(content))
		s := open(t, m, Options{Sync: true})
		requireEntries(t, s, 1, 12)
		require.Equal(t, paths, logFiles(m.PowerCut(nil)))
		require.NoError(t, s.StoreLog(entry(13)))
		requireEntries(t, reopen(t, s), 1, 13)
	}
	m := &fstest.Memory{}
	m.Put(dir+"/log/00000000000000000013.log", nil)
	s := open(t, m, Options{})
	requireBounds(t, s, 0, 0)
	require.NoError(t, s.StoreLog(entry(7)))
	requireEntries(t, reopen(t, s), 7, 7)
}

// TestHoles loses blocks in the middle of the last write, as a power cut may. A record that is damaged without a hole is no
// torn tail.
func TestHoles(t *testing.T) {
	r := seeded(t)
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	var logs []*raft.Log
	for i := range uint64(100) {
		logs = append(logs, &raft.Log{Index: 1 + i, Term: 1, Data: randomBytes(r, 60+r.IntN(300))})
	}
	require.NoError(t, s.StoreLogs(logs))
	path := logFiles(m)[0]
	whole, offsets := m.Get(path), s.segments[0].offsets
	for range 300 {
		from := r.IntN(len(whole) - 2048)
		damaged := bytes.Clone(whole)
		if start := from / blockSize * blockSize; r.IntN(2) == 0 {
			requireHole(t, replaced(m, path, damaged), path, logs, offsets, start, start+blockSize*(1+r.IntN(3)))
			continue
		}
		damaged[from] ^= 1 << r.IntN(8)
		_, err := Open(replaced(m, path, damaged), dir, Options{})
		var damage *DamageError
		require.ErrorAs(t, err, &damage, "byte %d", from)
	}
}

func requireHole(t *testing.T, m *fstest.Memory, path string, logs []*raft.Log, offsets []uint32, from, to int) {
	data := m.Get(path)
	clear(data[from:to])
	m.Put(path, data)
	s, err := Open(m, dir, Options{})
	require.NoError(t, err, "bytes %d to %d", from, to)
	last := 0
	for last+1 < len(offsets) && int(offsets[last+1]) <= from {
		last++
	}
	_, got := bounds(t, s)
	require.EqualValues(t, last, got)
	for _, l := range logs[:last] {
		requireEntry(t, s, l)
	}
}

// TestDamageWhileTheServerRuns is found when the entry is read.
func TestDamageWhileTheServerRuns(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	require.NoError(t, s.StoreLogs(entries(1, 3)))
	f, err := m.Open(logFiles(m)[0], 1)
	require.NoError(t, err)
	_, err = f.Write([]byte("damage"))
	require.NoError(t, err)
	require.ErrorContains(t, s.GetLog(1, &raft.Log{}), "entry 1 in /data/raft/log/00000000000000000001.log is damaged since the start of the server, at byte 0")
	requireEntry(t, s, entry(2))
	m.Fault = func(op fstest.Op) error { return errors.New("no") }
	require.ErrorContains(t, s.GetLog(2, &raft.Log{}), "entry 2 in /data/raft/log/00000000000000000001.log cannot be read: ")
}

// TestASearchHasABound opens a log whose torn tail has many headers of large records, as a client could send them.
func TestASearchHasABound(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{})
	require.NoError(t, s.StoreLog(entry(1)))
	path := logFiles(m)[0]
	data := append(m.Get(path), make([]byte, headerSize)...)
	for range 100_000 {
		data = appendHeader(data, &raft.Log{Index: 5})
		data[len(data)-headerSize]++ // a wrong checksum
	}
	_, err := Open(replaced(m, path, data), dir, Options{})
	var damage *DamageError
	require.ErrorAs(t, err, &damage)
}

// FuzzOpen opens any bytes as the last file. The log opens or is refused, never both: after a torn tail was cut off, the
// next start finds the same entries.
func FuzzOpen(f *testing.F) {
	m, paths := threeFiles(f)
	last := m.Get(paths[2])
	f.Add(last)
	f.Add(last[:50])
	f.Add(append(bytes.Clone(last[:40]), last[72:]...))
	f.Add(randomBytes(rand.New(rand.NewPCG(1, 1)), 2000))
	f.Fuzz(func(t *testing.T, data []byte) {
		after := replaced(m, paths[2], data)
		s, err := Open(after, dir, Options{})
		if err != nil {
			var damage *DamageError
			require.ErrorAs(t, err, &damage)
			return
		}
		first, last := bounds(t, s)
		require.EqualValues(t, 1, first)
		for i := uint64(9); i <= last; i++ {
			require.NoError(t, s.GetLog(i, &raft.Log{}))
		}
		again := reopen(t, s)
		_, lastAgain := bounds(t, again)
		require.Equal(t, last, lastAgain)
	})
}
