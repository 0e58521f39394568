package rdb

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// benchKeys is the number of throttle keys in the files of benchmarks.
const benchKeys = 1_000_000

func throttleKey(i int) []byte { return fmt.Appendf(nil, "throttle:user:%d", i) }

// throttled returns a store with n throttle keys.
func throttled(n int) *store.Store {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	write(s, 0, func(tx *store.Tx) {
		for i := range n {
			e := tx.Write(throttleKey(i))
			tat := now*1e6 + 3600e9 + int64(i)*1001
			e.SetInt(tat, tat/1e6+1)
		}
	})
	return s
}

func saved(t testing.TB, s *store.Store, out io.Writer) {
	n, err := s.Snapshot(now*1e6, nil)
	require.NoError(t, err)
	require.NoError(t, Save(out, n, SaveOptions{}))
}

func BenchmarkSave(b *testing.B) {
	s := throttled(benchKeys)
	b.ReportAllocs()
	for b.Loop() {
		saved(b, s, io.Discard)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchKeys, "ns/key")
}

func BenchmarkLoad(b *testing.B) {
	var file bytes.Buffer
	saved(b, throttled(benchKeys), &file)
	b.ReportAllocs()
	for b.Loop() {
		s := store.New(store.Options{Databases: 1, Seed: 1})
		l, err := Load(bytes.NewReader(file.Bytes()), s, LoadOptions{Now: now * 1e6, Size: int64(file.Len())})
		require.NoError(b, err)
		require.EqualValues(b, benchKeys, l.Keys)
	}
	b.ReportMetric(benchKeys*float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}

// BenchmarkWritersBesideSave measures how long one write takes, alone and while
// snapshots are written. One goroutine makes one write at a time.
func BenchmarkWritersBesideSave(b *testing.B) {
	s := throttled(benchKeys)
	for _, saving := range []bool{false, true} {
		b.Run(fmt.Sprint("saving=", saving), func(b *testing.B) {
			var stop atomic.Bool
			var beside sync.WaitGroup
			saves := 0
			if saving {
				beside.Go(func() {
					for !stop.Load() {
						saved(b, s, io.Discard)
						saves++
					}
				})
			}
			var took []time.Duration
			tx := s.NewTx()
			for i := 0; b.Loop(); i++ {
				key := throttleKey(i * 7919 % benchKeys)
				var fp store.Footprint
				fp.AddKey(key)
				begin := time.Now()
				tx.Begin(now*1e6, 0, &fp)
				e := tx.Write(key)
				tat := e.Int() + 1e6
				e.SetInt(tat, tat/1e6+1)
				tx.End()
				took = append(took, time.Since(begin))
			}
			stop.Store(true)
			beside.Wait()
			slices.Sort(took)
			at := func(p float64) float64 { return float64(took[int(p*float64(len(took)-1))].Nanoseconds()) / 1e3 }
			b.ReportMetric(at(0.5), "p50-µs")
			b.ReportMetric(at(0.999), "p99.9-µs")
			b.ReportMetric(at(0.9999), "p99.99-µs")
			b.ReportMetric(at(1), "max-µs")
			b.ReportMetric(float64(saves), "saves")
		})
	}
}
