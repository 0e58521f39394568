package store

import (
	"fmt"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// reserving writes keys to an empty store after it has reserved room for some.
func reserving(reserved, keys int) (*Store, *Tx) {
	s := New(Options{Databases: 1})
	tx := whole(s, testNow)
	tx.Reserve(reserved)
	for _, k := range throttleKeys(keys) {
		e := tx.Write(k)
		e.SetInt(testNow+1e12, table.CeilMillis(testNow+1e12))
	}
	return s, tx
}

// generations returns how often a cell came, or cells moved.
func generations(s *Store) (n uint64) {
	for i := range s.partitions {
		n += s.tables.findOrMake(&s.partitions[i], 0).Shape().Generation
	}
	return n
}

func TestReservedKeysDoNotMove(t *testing.T) {
	for _, keys := range []int{10_000, 25_000, 100_000} {
		s, tx := reserving(keys, keys)
		require.InEpsilon(t, keys, generations(s), 0.02, "%d keys", keys)
		checkInvariants(t, tx)
		used := s.Used()
		tx.Reserve(0)
		require.Equal(t, used, s.Used(), "no cell moves at the end")
		tx.End()

		grown, tx := reserving(0, keys)
		require.InEpsilon(t, grown.Used(), used, 0.1, "%d reserved keys take as much as others", keys)
		tx.End()
	}
}

func TestUnusedReservedRoomIsGivenUp(t *testing.T) {
	for _, keys := range []int{0, 1, 300, 20_000} {
		s, tx := reserving(1_000_000, keys)
		checkInvariants(t, tx)
		require.LessOrEqual(t, s.Used(), int64(14*1_000_000+100*keys))
		tx.Reserve(0)
		checkInvariants(t, tx)
		grown, other := reserving(0, keys)
		require.LessOrEqual(t, s.Used(), 2*grown.Used(), "%d keys", keys)
		other.End()
		tx.Flush()
		require.Zero(t, s.Used())
		tx.End()
	}
}

func TestEmptiedTablesReserveNothing(t *testing.T) {
	s, tx := reserving(1_000_000, 1)
	room := s.Used()
	e := tx.Write(throttleKeys(1)[0])
	e.Delete()
	e.SetInt(1, NoExpiry)
	require.Less(t, s.Used(), room/10)
	tx.End()
}

func TestAllReservedKeysInOneTable(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := whole(s, testNow)
	tx.Reserve(20_000)
	for i := range 20_000 {
		e := tx.Write(fmt.Appendf(nil, "{tag}%d", i))
		e.SetInt(int64(i), NoExpiry)
	}
	tx.Reserve(0)
	checkInvariants(t, tx)
	require.Equal(t, 20_000, s.Len(0))
	tx.End()
}

func TestReserveChangesNoKey(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 3})
	for range scaled(1000) {
		tx := whole(s, testNow)
		for range 20 {
			tx.Select(r.Intn(3))
			randomWrite(r, tx)
		}
		tx.End()
		before := contents(s)
		tx = whole(s, testNow)
		tx.Select(r.Intn(3))
		tx.Reserve([]int{0, 0, 300, 10_000, 300_000}[r.Intn(5)])
		checkInvariants(t, tx)
		tx.End()
		require.Equal(t, before, contents(s))
	}
}
