package store

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTablesAreMadeWhenUsed: a database that nobody uses takes next to nothing. A hundred thousand
// of them took 4.7 GB.
func TestTablesAreMadeWhenUsed(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(Options{Databases: 100_000, Seed: 1})
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(2<<20))

	tx, key := s.NewTx(), []byte("k")
	for db := 0; db < s.Databases(); db += 1000 {
		tx.BeginKey(testNow, db, key)
		e := tx.Write(key)
		e.SetInt(int64(db), testNow/1e6+5)
		tx.End()
	}
	require.Len(t, s.tables.used(), 100)
	require.Equal(t, 1, s.Len(5000))
	require.Zero(t, s.Len(5001))
	n, err := s.Snapshot(testNow, nil)
	require.NoError(t, err)
	var seen []int
	require.NoError(t, n.Each(func(im *Image) error {
		require.EqualValues(t, im.DB, im.Int)
		seen = append(seen, im.DB)
		return nil
	}))
	n.Close()
	require.Len(t, seen, 100)
	require.IsIncreasing(t, seen)

	var c SweepCursor
	sweepAll(s, testNow+1e12, &c)
	require.Empty(t, s.tables.used(), "the tables go after the keys")
	for i := range s.partitions {
		require.Empty(t, s.partitions[i].tables)
	}
	require.Zero(t, s.Used())
}

// TestTablesThatStayEmpty: a transaction that finds no key keeps no tables in a database that has none.
func TestTablesThatStayEmpty(t *testing.T) {
	s := New(Options{Databases: 4, Seed: 1})
	tx, key := s.NewTx(), []byte("k")
	look := func(exists bool) {
		tx.BeginKey(testNow, 2, key)
		defer tx.End()
		e := tx.Read(key)
		require.Equal(t, exists, e.Exists())
	}
	look(false)
	require.Empty(t, s.tables.used())
	fp := Footprint{}
	fp.AddKey(key)
	tx.Begin(testNow, 3, &fp)
	hashed := []HashedKey{UnhashedKey(key, Slot(key))}
	tx.Expect(&hashed[0])
	e := tx.Write(key)
	e.SetInt(1, NoExpiry)
	e.Delete()
	tx.End()
	require.Empty(t, s.tables.used(), "a key came and went")
	tx.BeginKey(testNow, 2, key)
	e = tx.Write(key)
	e.SetInt(1, NoExpiry)
	tx.End()
	look(true)
	require.Equal(t, []int{2}, s.tables.used())
	tx.BeginKey(testNow, 0, key)
	tx.Read(key)
	tx.End()
	require.Equal(t, []int{0, 2}, s.tables.used(), "database 0 keeps its tables")
}

// sweepAll sweeps two rounds: the second one finds the tables that the first one emptied.
func sweepAll(s *Store, now int64, c *SweepCursor) {
	for range 2 {
		s.Sweep(now, c, 1<<30)
	}
}

// TestTablesComeAndGo lets databases lose all keys and get others, while a snapshot runs and two
// databases are exchanged.
func TestTablesComeAndGo(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 40, Seed: 1})
	var c SweepCursor
	want := map[string]int64{}
	for step := range scaled(300) {
		tx := whole(s, testNow)
		for range 20 {
			db, key := r.Intn(40), strconv.Itoa(r.Intn(5))
			tx.Select(db)
			e := tx.Write([]byte(key))
			if name := fmt.Sprint(db, " ", key); r.Intn(3) == 0 {
				e.SetInt(int64(step), NoExpiry)
				want[name] = int64(step)
			} else {
				e.Delete()
				delete(want, name)
			}
		}
		tx.End()
		n, err := s.Snapshot(testNow, nil)
		require.NoError(t, err)
		sweepAll(s, testNow, &c)
		a, b := r.Intn(40), r.Intn(40)
		exchange(s, a, b)
		sweepAll(s, testNow, &c)
		tx = whole(s, testNow)
		tx.Select(r.Intn(40))
		tx.Flush()
		e := tx.Write([]byte("new"))
		e.SetInt(-1, NoExpiry)
		e.Delete()
		tx.End()
		got := map[string]int64{}
		require.NoError(t, n.Each(func(im *Image) error {
			got[fmt.Sprint(im.DB, " ", string(im.Key))] = im.Int
			return nil
		}))
		n.Close()
		require.Equal(t, want, got)
		clear(want)
		tx = whole(s, testNow)
		for db := range 40 {
			tx.Select(db)
			tx.Each(func(e *Entry) { want[fmt.Sprint(db, " ", string(e.Key()))] = e.Int() })
		}
		checkInvariants(t, tx)
		tx.End()
	}
}

func exchange(s *Store, a, b int) {
	tx := whole(s, testNow)
	defer tx.End()
	tx.Swap(a, b)
}

// TestEvictionWithManyDatabases: a sample does not look into every database.
func TestEvictionWithManyDatabases(t *testing.T) {
	s := New(Options{Databases: 3000, Seed: 1})
	tx, key := s.NewTx(), []byte("k")
	for db := range s.Databases() {
		tx.BeginKey(testNow, db, key)
		e := tx.Write(key)
		e.SetInt(1, NoExpiry)
		tx.End()
	}
	for s.Used() > 0 {
		require.True(t, s.Evict(testNow, AllKeysLRU, 5, 0))
	}
}
