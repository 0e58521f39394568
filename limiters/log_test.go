package limiters

import (
	"fmt"
	"math"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestLogDecidesWithoutAllocations: a log of single actions is decided as it lies in its key, admitted or refused.
func TestLogDecidesWithoutAllocations(t *testing.T) {
	const now = 1_700_000_000_123_456_789
	for line, limited := range map[string]bool{"CL.LOG 100 60": false, "CL.LOG 50 60": true} {
		l, err := Parse(words(line))
		require.NoError(t, err)
		var fp store.Footprint
		fp.AddKey([]byte("k"))
		tx := store.New(store.Options{Databases: 1, Seed: 1}).NewTx()
		tx.Begin(now, 0, &fp)
		e := tx.Write([]byte("k"))
		var a Answer
		for i := range int64(50) {
			require.NoError(t, l.Decide(&e, &a, now+i, 1))
			l.Apply(&e, &a, now+i)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { err = l.Decide(&e, &a, now+1e6, 1) }), line)
		require.NoError(t, err)
		require.Equal(t, limited, a.Limited)
		tx.End()
	}
}

// TestLogWithAForeignNumber: a member whose number has no next one stands in nobody's way.
func TestLogWithAForeignNumber(t *testing.T) {
	const now = 1_700_000_000_123_456_789
	l, err := Parse(words("CL.LOG 100 60"))
	require.NoError(t, err)
	var fp store.Footprint
	fp.AddKey([]byte("k"))
	tx := store.New(store.Options{Databases: 1, Seed: 1}).NewTx()
	tx.Begin(now, 0, &fp)
	defer tx.End()
	e := tx.Write([]byte("k"))
	e.ZAdd(now/1000, fmt.Append(nil, now, "-", int64(math.MaxInt64)))
	e.ZAdd(now/1000-5, fmt.Append(nil, now, "-000000002"))
	var a Answer
	for n := range 3 {
		require.NoError(t, l.Decide(&e, &a, now, 1))
		l.Apply(&e, &a, now)
		require.Equal(t, 3+n, e.Sorted().Len())
	}
}

// BenchmarkFullLog has requests of logs that hold about 100 entries. All requests of a batch have one time.
func BenchmarkFullLog(b *testing.B) {
	for name, batch := range map[string]int64{"single": 1, "pipeline": 16} {
		b.Run(name, func(b *testing.B) {
			s := store.New(store.Options{Databases: 1, Seed: 1})
			l, err := Parse(words("CL.LOG 1000000 0.0001"))
			require.NoError(b, err)
			keys, fps := make([][]byte, 50), make([]store.Footprint, 50)
			for i := range keys {
				keys[i] = []byte{'k', byte(i)}
				fps[i].AddKey(keys[i])
			}
			tx := s.NewTx()
			var a Answer
			b.ReportAllocs()
			for i := int64(0); i < int64(b.N); i++ {
				now := 1_700_000_000_123_456_789 + i/batch*batch*1000/50
				k := i / batch % 50
				tx.Begin(now, 0, &fps[k])
				e := tx.Write(keys[k])
				if err := l.Decide(&e, &a, now, 1); err != nil {
					b.Fatal(err)
				}
				l.Apply(&e, &a, now)
				tx.End()
			}
		})
	}
}
