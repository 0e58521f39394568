package store

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// What was foreseen of a key serves its own transaction, once.
func TestForesee(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	buffer := []byte("key:1key:2key:3key:4key:5")
	key := func(i int) []byte { return buffer[5*i : 5*i+5] }
	knows := func(key []byte) bool { _, ok := tx.foresight.take(key); return ok }

	tx.Prefetch(0, key(0))
	require.False(t, knows(key(1)), "another place")
	require.False(t, knows([]byte("key:1")), "another place")
	require.False(t, knows(key(0)[:4]), "another length")
	f, ok := tx.foresight.take(key(0))
	require.True(t, ok)
	require.Equal(t, tx.know(key(0)), f)
	require.False(t, knows(key(0)), "it was used")

	tx.Prefetch(0, key(1))
	tx.Prefetch(0, key(2))
	require.True(t, knows(key(2)))
	require.False(t, knows(key(1)), "it would have come before")

	for i := range 5 {
		tx.Prefetch(0, key(i))
	}
	require.False(t, knows(key(0)), "there is no room for five")
	require.True(t, knows(key(1)))
	tx.DropPrefetched()
	require.False(t, knows(key(2)))
}

// A key that is foreseen while others write is found as it is.
func TestForeseenKeysAreFound(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	keys := make([][]byte, 5000)
	for i := range keys {
		keys[i] = []byte{byte(i), byte(i >> 8), 'k'}
	}
	for round := range int64(3) {
		for i, key := range keys {
			if i+2 < len(keys) {
				tx.Prefetch(0, keys[i+2])
			}
			tx.BeginKey(1, 0, key)
			e := tx.Write(key)
			require.Equal(t, round, e.Int())
			e.SetInt(round+1, NoExpiry)
			tx.End()
		}
	}
	require.Equal(t, len(keys), s.Len(0))
}

// What is foreseen is looked at without the partition's lock, while its table grows and shrinks.
func TestForeseeWhileOthersWrite(t *testing.T) {
	s := New(Options{Databases: 2})
	keys := make([][]byte, 3000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "{one partition}%d", i)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tx := s.NewTx()
		for _, write := range []func(e *Entry){func(e *Entry) { e.SetInt(1, NoExpiry) }, func(e *Entry) { e.Delete() }} {
			for _, key := range keys {
				tx.BeginKey(1, 0, key)
				e := tx.Write(key)
				write(&e)
				tx.End()
			}
		}
	}()
	tx := s.NewTx()
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
			tx.Prefetch(0, keys[n%len(keys)])
		}
	}
}

// The chart leads to the very cell, in tables of any size.
func TestChartLeadsToCells(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	for _, cells := range []int{1, 100, 5000} {
		for i := range cells {
			key := fmt.Appendf(nil, "{one partition}%d", i)
			tx.BeginKey(1, 0, key)
			e := tx.Write(key)
			e.SetInt(1, NoExpiry)
			tx.End()
		}
		found := 0
		for i := range cells {
			key := fmt.Appendf(nil, "{one partition}%d", i)
			tx.BeginKey(1, 0, key)
			e := tx.Peek(key)
			if at := e.t.chart.Load().cell(e.hash); at == unsafe.Pointer(&e.cell()[0]) {
				found++
			}
			line := e.t.chart.Load().indexLine(e.hash)
			probe := &e.g.index[e.hash&uint64(len(e.g.index)-1)]
			require.Less(t, uintptr(unsafe.Pointer(probe))-uintptr(line), uintptr(cacheLine))
			tx.End()
		}
		require.Greater(t, found*100, cells*95, "but for fingerprints that agree")
	}
}

// The chart leads to where the cell of a key will be that is yet to come.
func TestChartLeadsToNewCells(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	const cells = 5000
	found := 0
	for i := range cells {
		key := fmt.Appendf(nil, "{one partition}%d", i)
		tx.BeginKey(1, 0, key)
		e := tx.Write(key)
		at := e.t.chart.Load().cell(e.hash)
		e.SetInt(1, NoExpiry)
		if at == unsafe.Pointer(&e.cell()[0]) {
			found++
		}
		tx.End()
	}
	require.Greater(t, found*100, cells*90, "but for segments that moved or have several places, and fingerprints that agree")
}

// Gathering asks for memory, be there a key, a table or none, and changes nothing.
func TestGather(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	keys := [][]byte{[]byte("{a}1"), []byte("{a}2"), []byte("{a}3")}
	for n := range keys {
		tx.BeginKey(1, 0, keys[0])
		tx.PrefetchAll(keys)
		for i, key := range keys {
			e := tx.Write(key)
			require.Equal(t, i < n, e.Exists())
		}
		e := tx.Write(keys[n])
		e.SetInt(1, NoExpiry)
		tx.End()
	}
	require.Equal(t, len(keys), s.Len(0))
}
