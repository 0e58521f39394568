package aof

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"cellserver/persistence/fs"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// BenchmarkThrottle measures an admitted CL.THROTTLE with its log, per command. A batch of
// commands is written before its replies. "off" is without the log.
func BenchmarkThrottle(b *testing.B) {
	for _, batch := range []int{1, 16, 64} {
		for _, p := range []Policy{-1, Never, EverySecond} {
			b.Run(fmt.Sprintf("P=%d/%s", batch, map[Policy]string{-1: "off", Never: "no", EverySecond: "everysec"}[p]), func(b *testing.B) {
				s, journal := newStore(), NewJournal(p, func(err error) { b.Error(err) })
				s.Observe(journal)
				if p >= 0 {
					dir, err := Open(fs.OS{}, b.TempDir(), "d", "f")
					require.NoError(b, err)
					require.NoError(b, dir.Create())
					f, err := dir.NewFile()
					require.NoError(b, err)
					journal.Switch(f)
				}
				keys := make([][]byte, 1<<16)
				for i := range keys {
					keys[i] = fmt.Appendf(nil, "user:%012d", i)
				}
				tx := s.NewTx()
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					key := keys[i*7919%len(keys)]
					var fp store.Footprint
					fp.AddKey(key)
					tx.Begin(now, 0, &fp)
					e := tx.Write(key)
					tat := now + 1e12 + int64(i)
					e.SetInt(tat, (tat+999_999)/1e6)
					tx.End()
					if i%batch == batch-1 {
						journal.Wait(journal.Mark())
					}
				}
			})
		}
	}
}

// BenchmarkThrottleParallel measures the same from as many goroutines as there are processors. Each has keys
// of its own partitions, and writes after a turn of commands, as an event loop does. -cpu 1,2 tells how the
// log scales.
func BenchmarkThrottleParallel(b *testing.B) {
	const turn = 1024
	for name, logged := range map[string]bool{"off": false, "everysec": true} {
		b.Run(name, func(b *testing.B) {
			s, journal := newStore(), NewJournal(EverySecond, func(err error) { b.Error(err) })
			if logged {
				s.Observe(journal)
				dir, err := Open(fs.OS{}, b.TempDir(), "d", "f")
				require.NoError(b, err)
				require.NoError(b, dir.Create())
				f, err := dir.NewFile()
				require.NoError(b, err)
				journal.Switch(f)
			}
			var goroutines atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				own := int(goroutines.Add(1))
				var keys [][]byte
				for i := 0; len(keys) < 1<<14; i++ {
					key := fmt.Appendf(nil, "user:%012d", i)
					if store.PartitionOf(store.Slot(key))%runtime.GOMAXPROCS(0) == own-1 {
						keys = append(keys, key)
					}
				}
				tx, i := s.NewTx(), 0
				tx.CountLater = true
				for pb.Next() {
					for range turn {
						i++
						key := keys[i*7919%len(keys)]
						tx.BeginKey(now, 0, key)
						e := tx.Write(key)
						tat := now + 1e12 + int64(i)
						e.SetInt(tat, (tat+999_999)/1e6)
						tx.End()
					}
					journal.Wait(journal.Mark())
				}
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(turn*b.N), "ns/command")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	e := newEncoder()
	f := []store.Effect{{Op: store.OpSet, Key: []byte("user:000000000001"), Operands: store.Operands{Int: now}, At: now/1e6 + 1}}
	b.ReportAllocs()
	for range b.N {
		e.transaction(f)
		if len(e.buf) > 64<<10 {
			e.buf = e.buf[:0]
		}
	}
}
