package raftlog

import (
	"fmt"
	"testing"

	"cellserver/persistence/fs"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// BenchmarkStoreLogs stores batches of entries, as a leader and its followers do. The log is emptied from time to time.
func BenchmarkStoreLogs(b *testing.B) {
	for _, sync := range []bool{false, true} {
		for _, size := range []int{100, 64 << 10} {
			for _, count := range []int{1, 64} {
				b.Run(fmt.Sprintf("sync=%v/bytes=%d/entries=%d", sync, size, count), func(b *testing.B) {
					benchmarkStoreLogs(b, sync, size, count)
				})
			}
		}
	}
}

func benchmarkStoreLogs(b *testing.B, sync bool, size, count int) {
	s, err := Open(fs.OS{}, b.TempDir(), Options{Sync: sync})
	require.NoError(b, err)
	logs := make([]*raft.Log, count)
	for i := range logs {
		logs[i] = &raft.Log{Index: uint64(1 + i), Term: 1, Data: make([]byte, size)}
	}
	b.SetBytes(int64(size * count))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.StoreLogs(logs); err != nil {
			b.Fatal(err)
		}
		for _, l := range logs {
			l.Index += uint64(count)
		}
		if len(s.segments) > 4 {
			b.StopTimer()
			require.NoError(b, s.DeleteRange(0, logs[0].Index-1))
			b.StartTimer()
		}
	}
	require.NoError(b, s.Close())
}

// BenchmarkGetLog reads entries in their order, as a leader does for a follower that is far behind.
func BenchmarkGetLog(b *testing.B) {
	s, err := Open(fs.OS{}, b.TempDir(), Options{})
	require.NoError(b, err)
	const count = 100_000
	var logs []*raft.Log
	for i := range uint64(count) {
		logs = append(logs, &raft.Log{Index: 1 + i, Term: 1, Data: make([]byte, 100)})
	}
	require.NoError(b, s.StoreLogs(logs))
	b.ReportAllocs()
	next := uint64(0)
	for b.Loop() {
		var l raft.Log
		if err := s.GetLog(1+next%count, &l); err != nil {
			b.Fatal(err)
		}
		next++
	}
	require.NoError(b, s.Close())
}

// BenchmarkOpen reads a log of 64 MiB.
func BenchmarkOpen(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprint("sync=", sync), func(b *testing.B) {
			dir := b.TempDir()
			s, err := Open(fs.OS{}, dir, Options{})
			require.NoError(b, err)
			require.NoError(b, s.SetUint64([]byte("CurrentTerm"), 1))
			for i := range uint64(64 << 10) {
				require.NoError(b, s.StoreLog(&raft.Log{Index: 1 + i, Term: 1, Data: make([]byte, 1000)}))
			}
			require.NoError(b, s.Close())
			b.SetBytes(s.Size())
			for b.Loop() {
				s, err := Open(fs.OS{}, dir, Options{Sync: sync})
				require.NoError(b, err)
				require.NoError(b, s.closeFiles())
			}
		})
	}
}
