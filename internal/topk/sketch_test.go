package topk

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

var seed = maphash.MakeSeed()

func (s *Sketch) add(key string) { s.Add(maphash.String(seed, key), 0, []byte(key)) }

func (s *Sketch) all(db int) []Count { return Highest(s.Collect(nil, db, 0), Counters) }

func TestFewKeysAreCountedExactly(t *testing.T) {
	var s Sketch
	for i := range Counters {
		for range i + 1 {
			s.add(fmt.Sprint("key", i))
		}
	}
	all := s.all(0)
	require.Len(t, all, Counters)
	for i, c := range all {
		require.Equal(t, Count{Key: fmt.Appendf(nil, "key%d", Counters-1-i), Times: int64(Counters - i)}, c)
	}
}

func TestANewKeyTakesOverTheLeastCount(t *testing.T) {
	var s Sketch
	for i := range Counters {
		for range i + 2 {
			s.add(fmt.Sprint("key", i))
		}
	}
	s.add("new")
	all := s.all(0)
	require.Equal(t, Count{Key: []byte("new"), Times: 3, Over: 2}, all[len(all)-1])
	require.False(t, slices.ContainsFunc(all, func(c Count) bool { return string(c.Key) == "key0" }))
	s.add("new")
	require.Equal(t, Count{Key: []byte("new"), Times: 4, Over: 2}, s.all(0)[Counters-2])
}

// TestBounds compares the sketch with exact counts. No count is too low. No count is too high by more than Over, and
// Over is at most all added / Counters. Every key with a higher count is in the sketch.
func TestBounds(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	for round := range 50 {
		var s Sketch
		exact := map[string]int64{}
		zipf := rand.NewZipf(rng, 1.01+rng.Float64(), 1, 1+rng.Uint64N(5000))
		added := rng.Int64N(20_000)
		for range added {
			key := fmt.Sprint(zipf.Uint64())
			exact[key]++
			s.add(key)
		}
		seen := map[string]bool{}
		for _, c := range s.all(0) {
			times := exact[string(c.Key)]
			require.LessOrEqual(t, times, c.Times, "round %d, key %s", round, c.Key)
			require.GreaterOrEqual(t, times, c.Times-c.Over, "round %d, key %s", round, c.Key)
			require.LessOrEqual(t, c.Over, added/Counters, "round %d", round)
			require.False(t, seen[string(c.Key)], "key %s stands twice", c.Key)
			seen[string(c.Key)] = true
		}
		for key, times := range exact {
			require.True(t, seen[key] || times <= added/Counters, "round %d: key %s came %d times of %d", round, key, times, added)
		}
	}
}

func TestDatabasesAreSeparate(t *testing.T) {
	var s Sketch
	for db := range 2 {
		s.Add(uint64(db), db, []byte("k"))
	}
	s.Add(1, 1, []byte("k"))
	require.Equal(t, []Count{{Key: []byte("k"), Times: 1}}, s.all(0))
	require.Equal(t, []Count{{Key: []byte("k"), DB: 1, Times: 2}}, s.all(1))
	s.Forget(1)
	require.Empty(t, s.all(1))
	require.Len(t, s.all(0), 1)
	s.Add(1, 1, []byte("k"))
	require.Equal(t, []Count{{Key: []byte("k"), DB: 1, Times: 1}}, s.all(1), "nothing is taken over from what was dropped")
}

func TestLongKeysAreCutOff(t *testing.T) {
	var s Sketch
	s.add(strings.Repeat("x", MaxKey) + "1")
	s.add(strings.Repeat("x", MaxKey) + "2")
	require.Equal(t, slices.Repeat([]Count{{Key: []byte(strings.Repeat("x", MaxKey)), Times: 1}}, 2), s.all(0), "two keys, that look the same")
}

func TestCollectFromAFloor(t *testing.T) {
	var s Sketch
	for _, key := range []string{"a", "b", "b", "c", "c", "c"} {
		s.add(key)
	}
	got := s.Collect(nil, 0, 2)
	slices.SortFunc(got, func(a, b Count) int { return cmp.Compare(a.Times, b.Times) })
	require.Equal(t, []Count{{Key: []byte("b"), Times: 2}, {Key: []byte("c"), Times: 3}}, got)
	got[0].Key[0] = 'x'
	require.Equal(t, "b", string(Highest(s.Collect(nil, 0, 2), 2)[1].Key), "what is collected is a copy")
}

func TestAddAllocatesNothing(t *testing.T) {
	var s Sketch
	keys := make([][]byte, 1000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key:%012d", i)
	}
	i := 0
	step := func() { s.Add(maphash.Bytes(seed, keys[i%1000]), 0, keys[i%1000]); i++ }
	for range 1000 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(1000, step))
}

func BenchmarkAdd(b *testing.B) {
	for _, keys := range []int{1, Counters, 100_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			var sketches [256]Sketch
			names := make([][]byte, keys)
			for i := range names {
				names[i] = fmt.Appendf(nil, "key:%012d", i*7919%keys)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				key := names[i]
				if i++; i == keys {
					i = 0
				}
				hash := maphash.Bytes(seed, key)
				sketches[hash>>56].Add(hash, 0, key)
			}
		})
	}
}
