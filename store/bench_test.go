package store

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"cellserver/store/hash"
	"cellserver/store/table"
)

func throttleKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "throttle:%07d", i)
	}
	return keys
}

// update is what an admitted CL.THROTTLE does to its key.
func update(tx *Tx, key []byte, now int64) {
	var fp Footprint
	fp.AddKey(key)
	tx.Begin(now, 0, &fp)
	e := tx.Write(key)
	e.SetInt(now+1e12, table.CeilMillis(now+1e12))
	tx.End()
}

// BenchmarkMillionKeys inserts a million throttle keys of 16 bytes. It reports the memory per key:
// as the store counts it, and of Go's heap.
func BenchmarkMillionKeys(b *testing.B) {
	keys := throttleKeys(1_000_000)
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := New(Options{Databases: 16})
		tx := s.NewTx()
		b.ResetTimer()
		for i, k := range keys {
			update(tx, k, testNow+int64(i))
		}
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		n := float64(len(keys))
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/insert")
		b.ReportMetric(float64(s.Used())/n, "used-bytes/key")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "heap-bytes/key")
		runtime.KeepAlive(s)
	}
}

// BenchmarkLongestInsert grows a store to ten million throttle keys and reports the longest insert.
// It does so several times with the same hashes, and each insert counts by its shortest time. So
// the growth of the store counts, which comes at the same key each time. The noise of the machine
// does not.
func BenchmarkLongestInsert(b *testing.B) {
	const keys, rounds = 10_000_000, 3
	shortest, seed := make([]int32, keys), maphash.MakeSeed()
	for range b.N {
		for i := range shortest {
			shortest[i] = math.MaxInt32
		}
		for range rounds {
			s := New(Options{Databases: 1})
			s.tables.init(1, table.Shared{Seed: seed, Blocks: s.blocks, Heap: &s.heap})
			tx := s.NewTx()
			var key []byte
			for i := range shortest {
				key = fmt.Appendf(key[:0], "key:%012d", i)
				begun := time.Now()
				update(tx, key, testNow+int64(i))
				shortest[i] = min(shortest[i], int32(time.Since(begun)))
			}
		}
		slices.Sort(shortest)
		b.ReportMetric(float64(shortest[keys-1])/1e3, "longest-µs")
		b.ReportMetric(float64(shortest[keys-keys/1_000_000])/1e3, "p99.9999-µs")
		b.ReportMetric(float64(shortest[keys/2])/1e3, "median-µs")
	}
}

func BenchmarkUpdateTAT(b *testing.B) {
	s, keys := New(Options{Databases: 16}), throttleKeys(100_000)
	tx := s.NewTx()
	for _, k := range keys {
		update(tx, k, testNow)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		update(tx, keys[i*7919%len(keys)], testNow+int64(i))
	}
}

// BenchmarkUndo is BenchmarkUpdateTAT with an observer: without undo, with undo, and with undo in
// transactions that apply a log. It makes a thousand undos final at a time, as a log does.
func BenchmarkUndo(b *testing.B) {
	const batch = 1024
	for _, kind := range []string{"off", "on", "applied"} {
		b.Run(kind, func(b *testing.B) {
			s, keys, l := New(Options{Databases: 16}), throttleKeys(100_000), &undoLog{}
			s.Observe(l)
			s.KeepUndo(kind != "off")
			tx, i := s.NewTx(), 0
			tx.Applied = kind == "applied"
			b.ReportAllocs()
			for b.Loop() {
				update(tx, keys[i*7919%len(keys)], testNow+int64(i))
				if i++; len(l.all) >= batch {
					s.DropUndo(l.all)
					l.all = l.all[:0]
				}
			}
		})
	}
}

// BenchmarkRevert undoes ten thousand decisions.
func BenchmarkRevert(b *testing.B) {
	s, keys, l := New(Options{Databases: 16}), throttleKeys(100_000), &undoLog{}
	s.Observe(l)
	s.KeepUndo(true)
	tx, i := s.NewTx(), 0
	for b.Loop() {
		b.StopTimer()
		for range 10_000 {
			update(tx, keys[i*7919%len(keys)], testNow+int64(i))
			i++
		}
		b.StartTimer()
		s.Revert(l.all)
		l.all = l.all[:0]
	}
}

func BenchmarkMiss(b *testing.B) {
	s, keys := New(Options{Databases: 16}), throttleKeys(100_000)
	tx := s.NewTx()
	for _, k := range keys[:50_000] {
		update(tx, k, testNow)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		k := keys[50_000+i*7919%50_000]
		var fp Footprint
		fp.AddKey(k)
		tx.Begin(testNow, 0, &fp)
		tx.Read(k)
		tx.End()
	}
}

// BenchmarkZAdd gives members of one sorted set new scores, as a sliding log does.
func BenchmarkZAdd(b *testing.B) {
	for _, n := range []int{10, 100, 10_000, 1_000_000} {
		s := New(Options{Databases: 1})
		tx := s.NewTx()
		key, members := []byte("log"), throttleKeys(n)
		var fp Footprint
		fp.AddKey(key)
		tx.Begin(testNow, 0, &fp)
		e := tx.Write(key)
		for i, m := range members {
			e.ZAdd(float64(i), m)
		}
		tx.End()
		b.Run(fmt.Sprint("move/", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				tx.Begin(testNow, 0, &fp)
				e := tx.Write(key)
				e.ZAdd(float64(n+i), members[i%n])
				tx.End()
			}
		})
		b.Run(fmt.Sprint("rank/", n), func(b *testing.B) {
			tx.Begin(testNow, 0, &fp)
			defer tx.End()
			e := tx.Read(key)
			for i := range b.N {
				e.Sorted().Rank(members[i*7919%n])
			}
		})
		b.ReportMetric(float64(s.Used())/float64(n), "bytes/member")
	}
}

func BenchmarkScan(b *testing.B) {
	s := New(Options{Databases: 16})
	fill(s, 1_000_000, testNow, 1e15)
	b.ReportAllocs()
	b.ResetTimer()
	tx, cursor := s.NewTx(), uint64(0)
	var fp Footprint
	fp.AddAll()
	for range b.N {
		tx.Begin(testNow, 0, &fp)
		cursor = tx.Scan(cursor, 10, func(*Entry) {})
		tx.End()
	}
}

// BenchmarkSweep reports the cost of expiring one key of a million.
func BenchmarkSweep(b *testing.B) {
	for range b.N {
		b.StopTimer()
		s := New(Options{Databases: 16})
		fill(s, 1_000_000, testNow, 1e9)
		var c SweepCursor
		b.StartTimer()
		expired, visited := s.Sweep(testNow+2e9, &c, 1<<30)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(expired), "ns/key")
		b.ReportMetric(float64(visited)/float64(expired), "visited/key")
	}
}

// BenchmarkEvict reports the cost of making room for one key, with Redis's five samples.
func BenchmarkEvict(b *testing.B) {
	s := New(Options{Databases: 16})
	fill(s, 200_000+b.N, testNow, 1e15)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s.Evict(testNow, AllKeysLRU, 5, s.Used()-1)
	}
}

func BenchmarkSlot(b *testing.B) {
	key := []byte("throttle:0000001")
	for range b.N {
		Slot(key)
	}
}

// BenchmarkPrefetch writes a million keys, new ones or the same again, with and without prefetching
// each key two transactions earlier.
func BenchmarkPrefetch(b *testing.B) {
	const ahead = 2
	keys := throttleKeys(1_000_000)
	for _, kind := range []string{"insert", "update"} {
		for _, prefetch := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/prefetch=%v", kind, prefetch), func(b *testing.B) {
				benchmarkWrites(b, keys, kind == "insert", func(tx *Tx, i int) {
					if prefetch {
						tx.Prefetch(0, keys[min(i+ahead, len(keys)-1)])
					}
				})
			})
		}
	}
}

// BenchmarkPrefetchValues writes a field of 100,000 hashes, not in the order in which they lie in memory.
func BenchmarkPrefetchValues(b *testing.B) {
	keys, tx := throttleKeys(100_000), New(Options{Databases: 1}).NewTx()
	field := Operands{Value: []byte("field"), More: []byte("value")}
	write := func(key []byte) {
		tx.BeginKey(0, 0, key)
		e := tx.Write(key)
		e.Change(hash.Set, field)
		tx.End()
	}
	for _, key := range keys {
		write(key)
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	b.ResetTimer()
	for i := range b.N {
		tx.Prefetch(0, keys[(i+3)%len(keys)])
		write(keys[i%len(keys)])
	}
}

// BenchmarkReserve writes a million new keys as loading does, with and without reserving room for
// them.
func BenchmarkReserve(b *testing.B) {
	keys := throttleKeys(1_000_000)
	for _, reserve := range []int{len(keys), 0} {
		b.Run(fmt.Sprintf("reserved=%v", reserve), func(b *testing.B) {
			benchmarkWrites(b, keys, true, func(tx *Tx, i int) {
				if i == 0 {
					tx.BeginAll(0, 0)
					tx.Reserve(reserve)
					tx.End()
				}
				tx.Prefetch(0, keys[min(i+2, len(keys)-1)])
			})
		})
	}
}

// benchmarkWrites writes all keys in each round, to an empty store if insert is true. It calls
// before with the number of each key.
func benchmarkWrites(b *testing.B, keys [][]byte, insert bool, before func(tx *Tx, i int)) {
	write := func(tx *Tx) {
		for i, key := range keys {
			before(tx, i)
			tx.BeginKey(0, 0, key)
			e := tx.Write(key)
			e.SetInt(1e18, 1e12+1)
			tx.End()
		}
	}
	tx := New(Options{Databases: 1}).NewTx()
	write(tx)
	for b.Loop() {
		if insert {
			b.StopTimer()
			tx = New(Options{Databases: 1}).NewTx()
			runtime.GC() // frees the memory of the former store
			b.StartTimer()
		}
		write(tx)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1e9/float64(len(keys)), "ns/key")
}
