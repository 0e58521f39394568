package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// masked returns a store whose hashes keep the bits of mask only.
func masked(mask uint64) *Store {
	s := New(Options{Databases: 1, Seed: 1})
	for i := range s.partitions {
		s.partitions[i].tables[0].mask = mask
	}
	return s
}

// TestHashesThatAgree wants keys whose hashes share bits to cost time at most: they are
// all found, and the directory stays in proportion.
func TestHashesThatAgree(t *testing.T) {
	for name, mask := range map[string]uint64{
		"in all bits":         0,
		"in the leading bits": 0x0000_00ff_ffff_ffff,
		"in the low bits":     0xffff_ffff_0000_0000,
		"but for two bits":    0x8000_0000_0000_0001,
	} {
		t.Run(name, func(t *testing.T) {
			const n = 3000
			s := masked(mask)
			tx := whole(s, testNow)
			for i := range n { // one slot, so one table
				e := tx.Write(fmt.Append(nil, "{tag}", i))
				e.SetInt(int64(i), NoExpiry)
			}
			checkInvariants(t, tx)
			tb := &tx.s.partitions[PartitionOf(Slot([]byte("{tag}")))].tables[0]
			require.LessOrEqual(t, len(tb.dir), 2*n)
			for i := range n {
				e := tx.Write(fmt.Append(nil, "{tag}", i))
				require.EqualValues(t, i, e.Int())
				if i%10 != 0 {
					require.True(t, e.Delete())
				}
			}
			checkInvariants(t, tx)
			require.Len(t, scanAll(t, tx, 7), n/10)
			for i := 0; i < n; i += 10 {
				e := tx.Write(fmt.Append(nil, "{tag}", i))
				require.True(t, e.Delete())
			}
			tx.End()
			require.Zero(t, s.Used())
		})
	}
}

// scanAll scans a whole database and wants each key once.
func scanAll(t *testing.T, tx *Tx, count int) map[string]bool {
	seen := map[string]bool{}
	for cursor := uint64(0); ; {
		cursor = tx.Scan(cursor, count, func(e *Entry) {
			require.False(t, seen[string(e.Key())], "each key once")
			seen[string(e.Key())] = true
		})
		if cursor == 0 {
			return seen
		}
		require.Less(t, cursor, uint64(1)<<53)
	}
}

// TestScanWhileTheTableChanges wants keys that are there all the time to be seen once,
// whatever splits and merges around them.
func TestScanWhileTheTableChanges(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	write := func(prefix string, i int, on bool) {
		e := tx.Write(fmt.Append(nil, prefix, "{tag}", i))
		if on {
			e.SetInt(1, NoExpiry)
		} else {
			e.Delete()
		}
	}
	for i := range 1000 {
		write("stays", i, true)
	}
	for round := range 2 + scaled(10) {
		seen := map[string]int{}
		for cursor := uint64(0); ; {
			cursor = tx.Scan(cursor, 10, func(e *Entry) {
				if bytes.HasPrefix(e.Key(), []byte("stays")) {
					seen[string(e.Key())]++
				}
			})
			if cursor == 0 {
				break
			}
			for range 50 {
				write("comes", r.Intn(scaled(20_000)), round%2 == 0 || r.Intn(8) == 0)
			}
		}
		require.Len(t, seen, 1000)
		for k, n := range seen {
			require.Equal(t, 1, n, k)
		}
		checkInvariants(t, tx)
	}
}

// TestKeysOfEveryLength crosses every boundary of the cell's layout, with every change
// a cell can go through.
func TestKeysOfEveryLength(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	soon := testNow/1e6 + 1000
	for _, n := range []int{0, 1, 2, 3, 4, 5, 16, 255, 256, inlineKeyMax - 1, inlineKeyMax, inlineKeyMax + 1, 1<<16 - 1, 1 << 16, 2 << 20} {
		key := bytes.Repeat([]byte("k"), n)
		e := tx.Write(key)
		require.False(t, e.Exists(), "length %d", n)
		e.SetInt(testNow+5e9, ceilMillis(testNow+5e9))
		require.Equal(t, testNow/1e6+5000, e.ExpireAt())
		e.SetExpiry(soon) // the TAT says no more when its time is over: the cell widens
		require.Equal(t, soon, e.ExpireAt())
		require.Equal(t, testNow+5e9, e.Int())
		e.SetExpiry(NoExpiry)
		require.Equal(t, NoExpiry, e.ExpireAt())
		e.SetInt(math.MinInt64, soon)
		require.Equal(t, len("-9223372036854775808!"), e.SetRange(20, []byte("!")))
		require.Equal(t, "-9223372036854775808!", string(e.Bytes(nil)))
		require.Equal(t, soon, e.ExpireAt())
		e.CopyTo(0, append([]byte("copy of "), key...))
		checkInvariants(t, tx)
		e.MoveTo(0, append([]byte("moved "), key...))
		require.False(t, e.Exists())
		for _, prefix := range []string{"copy of ", "moved "} {
			d := tx.Write(append([]byte(prefix), key...))
			require.Equal(t, "-9223372036854775808!", string(d.Bytes(nil)))
			require.Equal(t, soon, d.ExpireAt())
			require.True(t, d.Delete())
		}
		checkInvariants(t, tx)
		require.Zero(t, s.Used())
	}
}

// TestArenaStaysSmall churns the largest cells there are through one segment.
func TestArenaStaysSmall(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	key := bytes.Repeat([]byte("k"), inlineKeyMax)
	copy(key, "{tag}")
	largest := 0
	for step := range scaled(50_000) {
		binary.BigEndian.PutUint16(key[100:], uint16(r.Intn(700)))
		e := tx.Write(key)
		switch {
		case !e.Exists():
			e.SetInt(1, NoExpiry)
		case r.Intn(3) == 0:
			e.Delete()
		default:
			e.SetExpiry(testNow/1e6 + int64(step))
		}
		s.partitions[PartitionOf(Slot([]byte("tag")))].tables[0].segments(func(g *segment) bool {
			largest = max(largest, segmentBytes(len(g.index), cap(g.arena)-arenaStart))
			require.LessOrEqual(t, len(g.arena), g.liveBytes()*2+4096, "arenas are not wasteful")
			return true
		})
	}
	require.Equal(t, blockBytes, largest, "all blocks are of one size")
	checkInvariants(t, tx)
}

// TestTombstones wants probing to stay short in a segment with much coming and going.
func TestTombstones(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	for i := range scaled(100_000) {
		e := tx.Write(fmt.Append(nil, "{tag}", i))
		e.SetInt(1, NoExpiry)
		if i >= 500 {
			e = tx.Write(fmt.Append(nil, "{tag}", i-500))
			require.True(t, e.Delete())
		}
	}
	tb := &s.partitions[PartitionOf(Slot([]byte("tag")))].tables[0]
	require.EqualValues(t, 500, tb.count.Load())
	checkInvariants(t, tx)
	require.LessOrEqual(t, len(tb.dir), 4)
}

func TestKeyOutsideTheFootprint(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	var fp Footprint
	fp.AddKey([]byte("a"))
	fp.AddKey([]byte("b"))
	tx := s.NewTx()
	tx.Begin(testNow, 0, &fp)
	defer tx.End()
	require.Panics(t, func() { tx.Write([]byte("c")) })
}

func TestRandomKeyReachesAll(t *testing.T) {
	s := New(Options{Databases: 2, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	require.Nil(t, tx.RandomKey())
	for i := range 50 {
		e := tx.Write(fmt.Append(nil, "{tag}", i))
		e.SetInt(1, NoExpiry)
	}
	e := tx.Write([]byte("over"))
	e.SetInt(1, testNow/1e6-1)
	seen := map[string]bool{}
	for range 5000 {
		seen[string(tx.RandomKey())] = true
	}
	require.Len(t, seen, 50)
	require.False(t, seen["over"])
}
