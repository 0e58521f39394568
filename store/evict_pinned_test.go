package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPinnedKeysAreNotEvicted(t *testing.T) {
	for policy := AllKeysLRU; policy <= VolatileTTL; policy++ {
		pinned := func(db int, key []byte) bool { return db == 0 && string(key) == "stays" }
		s := New(Options{Databases: 2, Seed: 1, Pinned: pinned})
		tx := s.NewTx()
		for db := range 2 {
			for _, key := range []string{"stays", "a", "b", "c", "d"} {
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
		require.Equal(t, []int{1, 0}, []int{s.Len(0), s.Len(1)}, "%v", policy)
		require.False(t, s.Evict(1e15, policy, 5, 1), "%v: no other key may go", policy)
	}
}
