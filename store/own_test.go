package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The server's own keys are never evicted, and no count of the databases has them.
func TestOwnKeysAreNotEvicted(t *testing.T) {
	for policy := AllKeysLRU; policy <= VolatileTTL; policy++ {
		s := New(Options{Databases: 2, Seed: 1})
		tx := s.NewTx()
		for db := Own; db < s.Databases(); db++ {
			for _, key := range []string{"a", "b", "c", "d"} {
				var fp Footprint
				fp.AddKey([]byte(key))
				tx.Begin(1e15, db, &fp)
				e := tx.Write([]byte(key))
				e.SetBytes(fmt.Append(nil, "value of ", key), 2e9)
				tx.End()
			}
		}
		for range 100 {
			s.Evict(1e15, policy, 5, 1)
		}
		require.Equal(t, []int{4, 0, 0}, []int{s.Len(Own), s.Len(0), s.Len(1)}, "%v", policy)
		require.False(t, s.Evict(1e15, policy, 5, 1), "%v: no other key may go", policy)
	}
}

// A draft ends with its transaction, and when the transaction is taken back.
func TestDraftsEnd(t *testing.T) {
	s, key := New(Options{Databases: 1}), []byte("k")
	tx := s.NewTx()
	begin := func() {
		tx.BeginKey(1e15, 0, key)
		require.Nil(t, tx.Draft)
	}
	begin()
	tx.Draft = 1
	tx.End()
	begin()
	tx.Draft = 2
	e := tx.Write(key)
	e.SetInt(1, NoExpiry)
	tx.End()
	begin()
	tx.KeepUndo()
	tx.Draft = 3
	e = tx.Write(key)
	e.SetInt(2, NoExpiry)
	tx.Rollback()
	require.Nil(t, tx.Draft)
	tx.End()
}
