package store

import (
	"fmt"
	"math/rand"
	"testing"

	"cellserver/store/memory"

	"github.com/stretchr/testify/require"
)

// TestMemoryRunsOut lets the system refuse memory at random. A write that fails must change nothing,
// and the store must go on. A mapping that failed once left segments without memory in a partition,
// and every later key of that partition failed.
func TestMemoryRunsOut(t *testing.T) {
	r := seeded(t)
	from, to := New(Options{Databases: 3, Seed: 1}), New(Options{Databases: 3, Seed: 2})
	from.Observe(replayer{to})
	from.blocks.Refuse(func(int) bool { return r.Intn(2) == 0 })
	failed := 0
	var snapshot *Snapshot
	for step := range scaled(40_000) {
		if step%1000 == 0 {
			snapshot = nextSnapshot(t, from, snapshot)
		}
		if !tryWrite(from, func(tx *Tx) { exhaustingWrite(r, tx) }) {
			failed++
		}
		if step%2000 == 0 {
			requireSame(t, contents(from), contents(to), step)
		}
	}
	snapshot.Close()
	requireSame(t, contents(from), contents(to), -1)
	tx := whole(from, testNow)
	defer tx.End()
	checkInvariants(t, tx)
	require.Positive(t, failed)
	from.blocks.Refuse(nil)
	for i := range 3000 {
		e := tx.Write(fmt.Append(nil, "{t}", i))
		e.SetInt(1, NoExpiry)
	}
	checkInvariants(t, tx)
}

// nextSnapshot ends a snapshot and begins another one. A snapshot can be read while there is no memory.
func nextSnapshot(t *testing.T, s *Store, last *Snapshot) *Snapshot {
	if last != nil {
		require.NoError(t, last.Each(func(*Image) error { return nil }))
		last.Close()
	}
	n, err := s.Snapshot(testNow, nil)
	require.NoError(t, err)
	return n
}

// tryWrite reports whether a write found memory.
func tryWrite(s *Store, do func(tx *Tx)) (done bool) {
	tx := whole(s, testNow)
	defer func() {
		if reason := recover(); reason != nil {
			if reason != error(memory.ErrExhausted) {
				panic(reason)
			}
		}
	}()
	defer tx.End()
	do(tx)
	return true
}

// exhaustingWrite writes random keys, most of them in one partition, so that segments split and merge.
func exhaustingWrite(r *rand.Rand, tx *Tx) {
	tx.Select(r.Intn(3))
	if r.Intn(3) == 0 {
		randomWrite(r, tx)
		return
	}
	key := fmt.Append(nil, "{t}", r.Intn(4000))
	if r.Intn(50) == 0 {
		key = append(key, make([]byte, 1500)...)
	}
	at := NoExpiry
	if r.Intn(2) == 0 {
		at = testNow/1e6 + 1000
	}
	e := tx.Write(key)
	switch r.Intn(9) {
	case 0, 1:
		e.SetInt(7, at)
	case 2:
		e.SetBytes([]byte("some text"), at)
	case 3:
		e.ZStore([]Item{{Score: 1, Member: "m"}})
	case 4:
		e.SetExpiry(at)
	case 5:
		if e.Kind() != Sorted {
			e.SetRange(2, []byte("range"))
		}
	case 6:
		if string(key) != "{t}1" {
			e.Rename([]byte("{t}1"))
		}
	case 7:
		tx.Reserve([]int{0, 300_000, 3_000_000}[r.Intn(3)])
	default:
		e.Delete()
	}
}
