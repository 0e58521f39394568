package table

import (
	"hash/maphash"
	"math/rand"
	"sync/atomic"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store/memory"

	"github.com/stretchr/testify/require"
)

// standalone is a table without a store.
type standalone struct {
	Table
	keeper *Keeper // of the running snapshot, if any
	segmap atomic.Pointer[SegmentMap]
	heap   atomic.Int64
}

// newTable returns an empty table whose hashes keep the bits of mask only.
func newTable(mask uint64) *standalone {
	s := &standalone{}
	s.Init(&Shared{Seed: maphash.MakeSeed(), Blocks: memory.NewBlocks(), Heap: &s.heap}, 0, &s.keeper, &s.segmap)
	s.hashMask = mask
	return s
}

// place finds a key.
func (s *standalone) place(key []byte) (p Place) {
	s.Find(&p, key, s.Hash(key))
	return p
}

// removeKey removes a key and reports whether it was there.
func (s *standalone) removeKey(key []byte) bool {
	p := s.place(key)
	if !p.Exists() {
		return false
	}
	p.Remove()
	return true
}

func (s *standalone) setInt(key []byte, v int64) {
	p := s.place(key)
	p.SetInt(v, NoExpiry)
}

// used returns the bytes that the table takes.
func (s *standalone) used() int64 { return s.heap.Load() + s.blocks.Used() }

// check recounts everything.
func (s *standalone) check(t *testing.T) {
	t.Helper()
	sum, err := s.Check()
	require.NoError(t, err)
	require.Equal(t, sum.Bytes, s.used())
	require.NoError(t, s.blocks.Check(sum.Blocks))
}

// scanAll scans the table and checks that each key comes once.
func (s *standalone) scanAll(t *testing.T, count int) map[string]bool {
	seen := map[string]bool{}
	var p Place
	var buffer []Found
	for from, more := uint64(0), true; more; {
		n := 0
		from, more = s.Scan(&p, &buffer, from, &n, count, func() {
			require.False(t, seen[string(p.Key())], "each key once")
			seen[string(p.Key())] = true
		})
		if from == 1<<PrefixBits {
			break // the next partition's start
		}
	}
	return seen
}

// seeded returns a generator. It prints its seed; the variable SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	return rand.New(rand.NewSource(int64(randtest.Source(t).Uint64())))
}

// scaled returns n, or a tenth of it with -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}
