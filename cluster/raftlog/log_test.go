package raftlog

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

func TestAnEmptyLog(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{})
	requireBounds(t, s, 0, 0)
	require.NoError(t, s.DeleteRange(0, 100))
	require.NoError(t, s.RemoveBehind(raft.SnapshotMeta{Index: 100}))
	require.NoError(t, s.StoreLogs(nil))
	requireBounds(t, reopen(t, s), 0, 0)
	require.True(t, s.IsMonotonic())
}

// TestFilesOnDisk keeps the format as it is. Another implementation of CRC-32C made the checksums.
func TestFilesOnDisk(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{Sync: true, SegmentSize: 50})
	require.NoError(t, s.StoreLogs([]*raft.Log{
		{Index: 258, Term: 3, Type: raft.LogConfiguration, Data: []byte("ab"), AppendedAt: time.Unix(1, 0)},
		{Index: 259, Term: 3, Type: raft.LogNoop},
		{Index: 260, Term: 4, Data: []byte("c")},
	}))
	require.NoError(t, s.Set([]byte("LastVoteCand"), []byte("n1")))
	require.Equal(t, []string{dir + "/log/00000000000000000258.log", dir + "/log/00000000000000000260.log", dir + "/mark", dir + "/stable"}, m.Names())
	for name, want := range map[string]string{
		"/log/00000000000000000258.log": "b3b27540" + "02000000" + "0201000000000000" + "0300000000000000" + "05" + "6162" +
			"a486bf37" + "00000000" + "0301000000000000" + "0300000000000000" + "01",
		"/log/00000000000000000260.log": "7359de5d" + "01000000" + "0401000000000000" + "0400000000000000" + "00" + "63",
		"/mark":                         "6d49e7c2" + "0401000000000000" + "0400000000000000",
		"/stable": "7af813f8" + "01" + "0b0800" + hex.EncodeToString([]byte("CurrentTerm")) + "0100000000000000" +
			"070100" + hex.EncodeToString([]byte("HasMark")) + "01" +
			"0c0200" + hex.EncodeToString([]byte("LastVoteCand")) + "6e31",
	} {
		require.Equal(t, want, hex.EncodeToString(m.Get(dir+name)), name)
	}
	require.EqualValues(t, 25+2+25+25+1, s.Size())
}

func TestEntriesComeBack(t *testing.T) {
	for name, files := range map[string]fs.FS{"memory": &fstest.Memory{}, "os": fs.OS{}} {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " sync ", sync), func(t *testing.T) {
				s, err := Open(files, t.TempDir()+"/raft", Options{Sync: sync, SegmentSize: 300})
				require.NoError(t, err)
				require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 7))
				require.NoError(t, s.StoreLogs(entries(1, 20)))
				require.NoError(t, s.StoreLog(entry(21)))
				requireEntries(t, s, 1, 21)
				require.NoError(t, s.DeleteRange(1, 9))
				require.NoError(t, s.DeleteRange(20, 21))
				requireEntries(t, s, 10, 19)
				require.NoError(t, s.StoreLogs(entries(20, 40)))
				require.NoError(t, s.Close())
				s, err = Open(files, s.dir, s.options)
				require.NoError(t, err)
				first, _ := bounds(t, s)
				require.LessOrEqual(t, first, uint64(10))
				require.NoError(t, s.DeleteRange(0, 9))
				requireEntries(t, s, 10, 40)
				require.NoError(t, s.Close())
			})
		}
	}
}

func TestEntriesThatAreRefused(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{})
	require.EqualError(t, s.StoreLog(&raft.Log{}), "entry 0 cannot be stored: entry 0 comes next in the log")
	require.EqualError(t, s.StoreLogs([]*raft.Log{entry(5), entry(7)}), "entry 7 cannot be stored: entry 6 comes next in the log")
	requireBounds(t, s, 0, 0)
	require.NoError(t, s.StoreLogs(entries(5, 6)))
	for _, index := range []uint64{0, 4, 5, 6, 8} {
		require.EqualError(t, s.StoreLog(entry(index)), fmt.Sprintf("entry %d cannot be stored: entry 7 comes next in the log", index))
	}
	require.EqualError(t, s.StoreLog(&raft.Log{Index: 7, Extensions: []byte("x")}), "entry 7 has extensions, and the log stores no extensions")
	require.EqualError(t, s.StoreLog(&raft.Log{Index: 7, Data: make([]byte, maxData+1)}), "entry 7 has 1073741825 bytes, and an entry has at most 1073741824")
	require.NoError(t, s.StoreLog(entry(7)), "a refused entry is no failure of the disk")
	requireEntries(t, s, 5, 7)
}

func TestDeleteRange(t *testing.T) {
	for _, test := range []struct {
		low, high   uint64
		first, last uint64 // what is left of 10 to 29
		files       int    // of 4: 10, 15, 20, 25
		err         string
	}{
		{low: 0, high: 9, first: 10, last: 29, files: 4},
		{low: 30, high: 99, first: 10, last: 29, files: 4},
		{low: 12, high: 11, first: 10, last: 29, files: 4},
		{low: 10, high: 10, first: 11, last: 29, files: 4},
		{low: 10, high: 13, first: 14, last: 29, files: 4},
		{low: 0, high: 14, first: 15, last: 29, files: 3},
		{low: 10, high: 28, first: 29, last: 29, files: 1},
		{low: 29, high: 29, first: 10, last: 28, files: 4},
		{low: 26, high: 1 << 60, first: 10, last: 25, files: 4},
		{low: 25, high: 29, first: 10, last: 24, files: 3},
		{low: 11, high: 29, first: 10, last: 10, files: 1},
		{low: 10, high: 29, first: 0, last: 0, files: 0},
		{low: 0, high: 1 << 63, first: 0, last: 0, files: 0},
		{low: 11, high: 28, first: 10, last: 29, files: 4, err: "entries 11 to 28 cannot be deleted: the log has entries 10 to 29, and a log has no gaps"},
	} {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprint(test.low, " to ", test.high, " sync ", sync), func(t *testing.T) {
				m := &fstest.Memory{}
				s := open(t, m, Options{Sync: sync, SegmentSize: 4*36 + 1})
				require.NoError(t, s.StoreLogs(entries(10, 29)))
				require.Len(t, logFiles(m), 4)
				if err := s.DeleteRange(test.low, test.high); test.err != "" {
					require.EqualError(t, err, test.err)
				} else {
					require.NoError(t, err)
				}
				requireEntries(t, s, test.first, test.last)
				require.Len(t, logFiles(m), test.files)
				next := test.last + 1
				require.NoError(t, s.StoreLogs(entries(next, next+7)))
				requireEntries(t, s, max(test.first, 1), next+7)
				again := reopen(t, s)
				first, _ := bounds(t, again)
				require.LessOrEqual(t, first, max(test.first, 1))
				requireEntries(t, again, first, next+7)
			})
		}
	}
}

// TestHiddenEntriesComeBackAtTheNextStart: the files still have the hidden entries. This is harmless, because they are
// entries of the same log.
func TestHiddenEntriesComeBackAtTheNextStart(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{SegmentSize: 4*36 + 1})
	require.NoError(t, s.StoreLogs(entries(10, 29)))
	require.NoError(t, s.DeleteRange(0, 17))
	requireEntries(t, s, 18, 29)
	requireEntries(t, reopen(t, s), 15, 29)
}

// TestALogBehindItsSnapshot has the files that a crash leaves when Raft has stored a snapshot of the leader, and has
// not deleted the entries.
func TestALogBehindItsSnapshot(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{SegmentSize: 100})
	behind := func(index, term uint64) {
		require.NoError(t, s.RemoveBehind(raft.SnapshotMeta{Index: index, Term: term}))
	}
	require.NoError(t, s.StoreLogs(entries(1, 20)))
	behind(0, 0)
	behind(7, entry(7).Term)
	behind(20, entry(20).Term)
	requireEntries(t, s, 1, 20)
	behind(7, entry(7).Term+1)
	requireBounds(t, s, 0, 0)
	require.NoError(t, s.StoreLogs(entries(8, 20)))
	behind(7, entry(7).Term+1)
	requireEntries(t, s, 8, 20)
	require.Error(t, s.StoreLog(entry(101)))
	behind(100, entry(100).Term)
	requireBounds(t, s, 0, 0)
	require.NoError(t, s.StoreLog(entry(101)))
	requireEntries(t, reopen(t, s), 101, 101)
}

func TestLargeEntriesAndLargeBatches(t *testing.T) {
	s, err := Open(fs.OS{}, t.TempDir(), Options{SegmentSize: 6 << 20})
	require.NoError(t, err)
	require.NoError(t, s.SetUint64([]byte("CurrentTerm"), 1))
	var logs []*raft.Log
	r := seeded(t)
	for i := uint64(1); i < 40; i++ {
		logs = append(logs, &raft.Log{Index: i, Term: i, Data: randomBytes(r, []int{0, 10, 300_000, maxBuffer - 1, maxBuffer, maxBuffer + 1, 3 << 20}[r.IntN(7)])})
	}
	require.NoError(t, s.StoreLogs(logs))
	for range 2 {
		for _, l := range logs {
			requireEntry(t, s, l)
		}
		require.LessOrEqual(t, cap(s.out.buf), 4<<20, "the buffer has a bound")
		require.NoError(t, s.Close())
		s, err = Open(fs.OS{}, s.dir, s.options)
		require.NoError(t, err)
	}
	require.Greater(t, len(s.segments), 2)
	require.NoError(t, s.Close())
}

// TestBatchesAreOneWrite counts the operations on files: a write of the log, and one of the mark.
func TestBatchesAreOneWrite(t *testing.T) {
	m := &fstest.Memory{}
	for _, sync := range []bool{false, true} {
		s := open(t, m, Options{Sync: sync})
		require.NoError(t, s.DeleteRange(0, 100))
		require.NoError(t, s.StoreLog(entry(1)))
		before := m.Ops()
		require.NoError(t, s.StoreLogs(entries(2, 65)))
		want := 2
		if sync {
			want = 3
		}
		require.Equal(t, want, m.Ops()-before)
		require.NoError(t, s.Close())
	}
}

// TestFilesAreRemovedInOrder requires that a power cut leaves no gap, even on a file system that forgets some names only.
func TestFilesAreRemovedInOrder(t *testing.T) {
	const first, second, third = "00000000000000000001", "00000000000000000005", "00000000000000000009"
	for _, test := range []struct {
		sync      bool
		low, high uint64
		removed   string
	}{
		{true, 0, 9, first + " sync " + second + " sync "},
		{false, 0, 9, first + " " + second + " "},
		{true, 0, 12, third + " sync " + second + " sync " + first + " sync "},
		{false, 0, 12, third + " sync " + second + " sync " + first + " sync "},
		{true, 4, 12, third + " sync " + second + " sync cut sync "},
		{false, 4, 12, third + " sync " + second + " sync cut sync "},
	} {
		m, _ := threeFiles(t)
		s := open(t, m, Options{Sync: test.sync})
		var done string
		m.Fault = func(op fstest.Op) error {
			name, _ := strings.CutSuffix(filepath.Base(op.Path), extension)
			done += map[string]string{"remove": name + " ", "syncdir": "sync ", "truncate": "cut "}[op.Kind]
			return nil
		}
		require.NoError(t, s.DeleteRange(test.low, test.high))
		require.Equal(t, test.removed, done)
	}
}

func TestStoringAllocatesNothing(t *testing.T) {
	s, err := Open(fs.OS{}, t.TempDir(), Options{})
	require.NoError(t, err)
	logs := entries(1, 64)
	store := func() {
		require.NoError(t, s.StoreLogs(logs))
		for _, l := range logs {
			l.Index += 64
		}
	}
	for range 10 {
		store()
	}
	s.segments[0].offsets = append(make([]uint32, 0, 100_000), s.segments[0].offsets...) // it grows by doubling
	require.LessOrEqual(t, testing.AllocsPerRun(100, store), 1.0, "for 64 entries")
	require.NoError(t, s.Close())
}

// TestReadersBesideAWriter reads entries while others are stored and deleted. A reader finds the right entry or none.
func TestReadersBesideAWriter(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{SegmentSize: 2000})
	var stop atomic.Bool
	var found atomic.Int64
	var readers sync.WaitGroup
	for reader := range uint64(3) {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(reader, 0))
			for !stop.Load() {
				first, _ := s.FirstIndex()
				var l raft.Log
				index := first + r.Uint64N(200)
				if err := s.GetLog(index, &l); err == nil && same(&l, entry(index)) {
					found.Add(1)
				} else if !errors.Is(err, raft.ErrLogNotFound) {
					t.Errorf("entry %d is %v, with the error %v", index, l, err)
					return
				}
			}
		})
	}
	for next := uint64(1); next < 3000 || found.Load() < 1000 && !t.Failed(); next += 20 {
		require.NoError(t, s.StoreLogs(entries(next, next+39)))
		require.NoError(t, s.DeleteRange(next+20, next+39))
		if next > 100 {
			require.NoError(t, s.DeleteRange(0, next-100))
		}
	}
	stop.Store(true)
	readers.Wait()
	require.NoError(t, s.Close())
}

// TestAClosedStore refuses changes, and a second Close does nothing.
func TestAClosedStore(t *testing.T) {
	s := open(t, &fstest.Memory{}, Options{OnFailure: func(error) { t.Error("a closed store is no failure") }})
	require.NoError(t, s.StoreLog(entry(1)))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.StoreLog(entry(2)), errClosed)
	require.ErrorIs(t, s.DeleteRange(1, 1), errClosed)
	require.ErrorIs(t, s.SetUint64([]byte("CurrentTerm"), 9), errClosed)
}

// TestCloseWithoutSyncLeavesEverythingOnDisk lets the caller note that the node has stopped cleanly.
func TestCloseWithoutSyncLeavesEverythingOnDisk(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{SegmentSize: 200})
	require.NoError(t, s.StoreLogs(entries(1, 40)))
	require.NoError(t, s.DeleteRange(1, 9))
	cut, err := Open(m.PowerCut(nil), dir, s.options)
	require.NoError(t, err)
	requireBounds(t, cut, 0, 0)
	require.NoError(t, s.Close())
	cut, err = Open(m.PowerCut(nil), dir, s.options)
	require.NoError(t, err)
	_, last := bounds(t, cut)
	require.EqualValues(t, 40, last)
	require.NoError(t, cut.DeleteRange(1, 9))
	requireEntries(t, cut, 10, 40)
}
