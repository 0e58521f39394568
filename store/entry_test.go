package store

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// TestWriteTATIn checks that an expired TAT is overwritten in place, and that only WriteTATIn sees it.
func TestWriteTATIn(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	key := []byte("k")
	tx := whole(s, testNow)
	var e Entry
	tx.FindIn(&e, key, true)
	require.False(t, e.Exists())
	e.SetInt(testNow+5e6, table.CeilMillis(testNow+5e6))
	tx.End()

	later := testNow + int64(5e6)
	tx = whole(s, later)
	tx.FindIn(&e, key, true)
	require.Equal(t, testNow+int64(5e6), e.Int())
	e.SetInt(later+7e6, table.CeilMillis(later+7e6))
	require.Equal(t, 1, tx.Changes())
	require.Zero(t, s.Counters().Expired)
	tx.End()

	tx = whole(s, later+7e6)
	tx.FindIn(&e, key, true) // this time nothing overwrites the TAT
	e = tx.Peek(key)
	require.False(t, e.Exists())
	e = tx.Write([]byte("plain"))
	e.SetInt(1, table.FloorMillis(later+8e6))
	tx.End()

	tx = whole(s, later+20e6)
	tx.FindIn(&e, []byte("plain"), true)
	require.False(t, e.Exists(), "a key that is no throttle key expires for WriteTATIn, too")
	checkInvariants(t, tx)
	tx.End()
	require.Zero(t, s.Len(0))
}

// TestSetBytesWithRoom: bytes that follow soon fit into the room, and the memory is counted.
func TestSetBytesWithRoom(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte("k"))
	e.SetBytesWithRoom([]byte("record"), 30, 0, testNow/1e6+5)
	require.Equal(t, testNow/1e6+5, e.ExpireAt())
	was := e.Memory()
	require.Equal(t, 36, e.SetRange(6, make([]byte, 30)))
	require.Equal(t, "record"+string(make([]byte, 30)), string(e.Bytes(nil)))
	require.Equal(t, was, e.Memory())
	e.SetBytesWithRoom([]byte("other"), 1, 100, NoExpiry)
	require.Equal(t, "other", string(e.Bytes(nil)))
	require.Equal(t, NoExpiry, e.ExpireAt())
	require.Less(t, e.Memory(), was, "an earlier effect shows the old memory, so the string gets new memory")
	require.Equal(t, 3, tx.Changes())
	checkInvariants(t, tx)
}

// TestBytesKeepTheirRoom: bytes take the memory of the string before them, unless it has too much room.
func TestBytesKeepTheirRoom(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	set := func(length, mostRoom int) (memory int64) {
		tx := whole(s, testNow)
		defer tx.End()
		e := tx.Write([]byte("k"))
		e.SetBytesWithRoom(make([]byte, length), 1, mostRoom, NoExpiry)
		require.Len(t, e.Bytes(nil), length)
		checkInvariants(t, tx)
		return e.Memory()
	}
	was := set(2000, 0)
	require.Equal(t, was, set(5, 2500))
	require.Equal(t, was, set(1900, 2500))
	require.Less(t, set(5, 1500), was-1500)
}

// TestRenamesCopyNothing: a rename takes as long for a large value as for a small one.
func TestRenamesCopyNothing(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	text, set := tx.Write([]byte("text")), tx.Write([]byte("set"))
	text.SetBytes(make([]byte, 64<<20), NoExpiry)
	items := make([]Item, 100_000)
	for i := range items {
		items[i] = Item{Score: float64(i), Member: strconv.Itoa(i)}
	}
	set.ZStore(items)
	used := s.Used()
	for _, names := range [][2]string{{"text", "set"}, {"set", "text"}} {
		from := names[0]
		to := from + "2"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 101 {
			e := tx.Write([]byte(from))
			e.Rename([]byte(to))
			from, to = to, from
		}
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
		e := tx.Write([]byte(from))
		e.Rename([]byte(names[0]))
	}
	require.Equal(t, used, s.Used())
	checkInvariants(t, tx)
	set.Rename([]byte("text"))
	require.EqualValues(t, 100_000, text.Sorted().Len())
	require.Less(t, s.Used(), used-60<<20, "what was replaced does not count")
	checkInvariants(t, tx)
}

// TestRenamesWhileCellsMove: a rename makes a cell, so it may move the cell that it removes.
func TestRenamesWhileCellsMove(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	const n = 3000
	for i := range n {
		e := tx.Write(fmt.Append(nil, "{t}", i))
		e.SetBytes(fmt.Append(nil, "value ", i), testNow/1e6+int64(i%2)*1000)
	}
	for i := range n {
		e := tx.Write(fmt.Append(nil, "{t}", i))
		e.Rename(fmt.Append(nil, "{t}renamed:", i))
		require.False(t, e.Exists())
	}
	checkInvariants(t, tx)
	require.Equal(t, n, s.Len(0))
	for i := range n {
		e := tx.Read(fmt.Append(nil, "{t}renamed:", i))
		require.Equal(t, fmt.Sprint("value ", i), string(e.Bytes(nil)))
	}
}
