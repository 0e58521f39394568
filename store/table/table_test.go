package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"cellserver/store/memory"

	"github.com/stretchr/testify/require"
)

// TestHashesThatAgree checks that keys whose hashes share bits cost time at most: all are found,
// and the directory stays in proportion.
func TestHashesThatAgree(t *testing.T) {
	for name, mask := range map[string]uint64{
		"in all bits":         0,
		"in the leading bits": 0x0000_00ff_ffff_ffff,
		"in the low bits":     0xffff_ffff_0000_0000,
		"in all but two bits": 0x8000_0000_0000_0001,
	} {
		t.Run(name, func(t *testing.T) {
			const n = 3000
			tb := newTable(mask)
			key := func(i int) []byte { return fmt.Append(nil, "{tag}", i) }
			for i := range n {
				tb.setInt(key(i), int64(i))
			}
			tb.check(t)
			require.LessOrEqual(t, len(tb.dir), 2*n)
			for i := range n {
				p := tb.place(key(i))
				require.EqualValues(t, i, p.Cell().Int())
				if i%10 != 0 {
					p.Remove()
				}
			}
			tb.check(t)
			require.Len(t, tb.scanAll(t, 7), n/10)
			for i := 0; i < n; i += 10 {
				require.True(t, tb.removeKey(key(i)))
			}
			require.Zero(t, tb.used())
		})
	}
}

// TestIntegersAndExpiries writes integers after all kinds of states, often with the expiry that the key has already.
func TestIntegersAndExpiries(t *testing.T) {
	r := seeded(t)
	tb, key := newTable(math.MaxUint64), []byte("key")
	for range 2000 {
		at := []int64{NoExpiry, 1000, 2000}[r.Intn(3)]
		v := []int64{7, 8, 1000 * 1e6, 2000 * 1e6}[r.Intn(4)] // the last two are TATs of their expiries
		p := tb.place(key)
		switch r.Intn(10) {
		case 0:
			p.SetBytes([]byte("text"), at)
			require.Equal(t, at, p.ExpireAt())
			continue
		case 1:
			tb.removeKey(key)
			continue
		}
		existed := p.Exists()
		require.Equal(t, !existed, p.SetInt(v, at))
		found := tb.place(key)
		n, ok := found.Number()
		require.True(t, ok)
		require.Equal(t, v, n)
		require.Equal(t, at, found.ExpireAt())
		tb.check(t)
	}
}

// TestArenaStaysSmall churns the largest cells through one segment.
func TestArenaStaysSmall(t *testing.T) {
	r := seeded(t)
	tb := newTable(math.MaxUint64)
	key := bytes.Repeat([]byte("k"), inlineKeyMax)
	largest := 0
	for step := range scaled(50_000) {
		binary.BigEndian.PutUint16(key[100:], uint16(r.Intn(700)))
		p := tb.place(bytes.Clone(key))
		switch {
		case !p.Exists():
			p.SetInt(1, NoExpiry)
		case r.Intn(3) == 0:
			p.Remove()
		default:
			p.SetExpiry(1e12 + int64(step))
		}
		tb.segments(func(g *segment) bool {
			largest = max(largest, segmentBytes(len(g.index), cap(g.arena)-arenaStart))
			require.LessOrEqual(t, len(g.arena), g.liveBytes()*2+4096, "arenas are not wasteful")
			return true
		})
	}
	require.Equal(t, memory.BlockBytes, largest, "all blocks are of one size")
	tb.check(t)
}

// TestTombstones checks that probing stays short in a segment whose keys come and go.
func TestTombstones(t *testing.T) {
	tb := newTable(math.MaxUint64)
	for i := range scaled(100_000) {
		tb.setInt(fmt.Append(nil, "{tag}", i), 1)
		if i >= 500 {
			require.True(t, tb.removeKey(fmt.Append(nil, "{tag}", i-500)))
		}
	}
	require.EqualValues(t, 500, tb.Len())
	tb.check(t)
	require.LessOrEqual(t, len(tb.dir), 4)
}

// TestNewCellsTakeTheRoomOfDeadOnes: where keys come as others go, as under eviction, other cells seldom move.
func TestNewCellsTakeTheRoomOfDeadOnes(t *testing.T) {
	for _, sizes := range []int{1, 4} {
		r, tb := seeded(t), newTable(math.MaxUint64)
		keys, n := [300]string{}, 0
		create := func(i int) {
			n++
			keys[i] = fmt.Sprintf("%0*d", 12+r.Intn(sizes), n)
			tb.setInt([]byte(keys[i]), int64(n))
		}
		for i := range keys {
			create(i)
		}
		rebuilt, before, most := 0, tb.Shape().Arena, 0
		for range 10_000 {
			i, gen := r.Intn(len(keys)), tb.gen
			require.True(t, tb.removeKey([]byte(keys[i])))
			create(i)
			rebuilt += int(tb.gen - gen - 2)
			most = max(most, tb.Shape().Arena)
		}
		tb.check(t)
		require.Less(t, rebuilt, 75, "with keys of %d lengths", sizes)
		require.True(t, sizes > 1 || most == before, "the arena does not grow")
	}
}

// TestASampleRunHasEachCellOnce: a run has no cell twice, has those that there are, and ends.
func TestASampleRunHasEachCellOnce(t *testing.T) {
	r := randomOf(seeded(t).Uint64)
	tb := newTable(math.MaxUint64)
	require.Zero(t, tb.SampleRun(r, false, 5, nil))
	const keys = 5000
	for i := range keys {
		p := tb.place(fmt.Append(nil, i))
		at := int64(NoExpiry)
		if i%50 == 0 {
			at = 1000
		}
		p.SetInt(1, at)
	}
	run := func(volatile bool, n int) (found int) {
		seen := map[string]bool{}
		found = tb.SampleRun(r, volatile, n, func(c Cell) {
			key := string(tb.KeyOf(c))
			require.False(t, seen[key], "twice")
			require.False(t, volatile && c.ExpireAt() == NoExpiry)
			seen[key] = true
		})
		require.Len(t, seen, found)
		return found
	}
	sampled := 0
	for range 100 {
		require.Equal(t, 80, run(false, 80))
		n := run(true, 80)
		require.Greater(t, n, 0)
		require.Less(t, n, 80, "it does not look for long")
		sampled += run(false, keys)
	}
	require.Less(t, sampled, 100*2*segmentMaxSlots)
	for i := 0; i < keys; i += 50 {
		if i != 100 {
			tb.removeKey(fmt.Append(nil, i))
		}
	}
	for range 20 {
		require.Equal(t, 1, run(true, 80), "the only key with an expiry")
	}
	tb.removeKey([]byte("100"))
	require.Zero(t, run(true, 80))
	tb.check(t)
}

type randomOf func() uint64

func (f randomOf) Rand() uint64 { return f() }
