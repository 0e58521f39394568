package store

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"cellserver/store/table"
)

// BenchmarkLongestSnapshot reports the longest time for which a snapshot delays a write
// (longest-µs). A write waits when the snapshot begins and locks every partition (freeze-µs), or
// while it runs, if the write copies a segment. Nothing reads the snapshot, so writers make all
// copies. As in [BenchmarkLongestInsert], each write counts by its shortest time of several rounds.
func BenchmarkLongestSnapshot(b *testing.B) {
	for _, c := range []struct {
		name string
		keys int
		put  func(e *Entry, n int64)
	}{
		{"throttles", 1_000_000, func(e *Entry, n int64) { e.SetInt(testNow+n+1e12, table.CeilMillis(testNow+n+1e12)) }},
		{"throttles", 10_000_000, func(e *Entry, n int64) { e.SetInt(testNow+n+1e12, table.CeilMillis(testNow+n+1e12)) }},
		{"strings", 1_000_000, func(e *Entry, n int64) { e.SetBytes(fmt.Appendf(nil, "value %d", n), NoExpiry) }},
		{"sets", 1_000_000, func(e *Entry, n int64) { e.ZAdd(float64(n), []byte("member")) }},
	} {
		b.Run(fmt.Sprint(c.name, "/", c.keys), func(b *testing.B) {
			s := New(Options{Databases: 16, Seed: 1})
			w := &writer{s: s, tx: s.NewTx(), put: c.put}
			for i := range c.keys {
				w.write(i)
			}
			for range b.N {
				freeze, writes := w.snapshots(c.keys, max(3, 10_000_000/c.keys))
				slices.Sort(writes)
				b.ReportMetric(float64(freeze)/1e3, "freeze-µs")
				b.ReportMetric(max(float64(freeze), float64(writes[len(writes)-1]))/1e3, "longest-µs")
				b.ReportMetric(float64(writes[len(writes)-1-len(writes)/1e5])/1e3, "p99.999-µs")
				b.ReportMetric(float64(writes[len(writes)/2])/1e3, "median-µs")
			}
		})
	}
}

// writer writes keys by their number.
type writer struct {
	s   *Store
	tx  *Tx
	put func(e *Entry, n int64)
	key []byte
	n   int64
}

func (w *writer) write(i int) {
	w.key = fmt.Appendf(w.key[:0], "key:%012d", i)
	var fp Footprint
	fp.AddKey(w.key)
	w.tx.Begin(testNow, 0, &fp)
	defer w.tx.End()
	e := w.tx.Write(w.key)
	w.n++
	w.put(&e, w.n)
}

// snapshots writes every key once in each of several snapshots. It returns the shortest time for
// which a snapshot locked everything, and the shortest time of each write.
func (w *writer) snapshots(keys, rounds int) (freeze time.Duration, writes []int32) {
	freeze, writes = time.Hour, make([]int32, keys)
	for i := range writes {
		writes[i] = math.MaxInt32
	}
	for range rounds {
		w.s.freezing.Store(true)
		n := w.s.newSnapshot(testNow)
		begun := time.Now()
		n.freeze(nil)
		freeze = min(freeze, time.Since(begun))
		for i := range writes {
			begun := time.Now()
			w.write(i)
			writes[i] = min(writes[i], int32(time.Since(begun)))
		}
		n.Close()
	}
	return freeze, writes
}
