package trie

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// recount returns the bytes and the entries of a node, and checks its shape.
func (n *node) recount(t *testing.T, m *Map, depth int) (bytes int64, count int) {
	bytes = nodeBytes
	if n.kids == nil {
		n.leaf.each(m.stride(), &Room{}, func([]byte, []byte) bool { count++; return true })
		require.LessOrEqual(t, count, leafMost)
		require.Equal(t, n.count, count)
		return bytes + n.leaf.bytes(), count
	}
	bytes += kidsBytes
	for _, kid := range n.kids {
		if kid != nil {
			b, c := kid.recount(t, m, depth+1)
			bytes, count = bytes+b, count+c
		}
	}
	require.Greater(t, count, leafLeast)
	require.Equal(t, n.count, count)
	return bytes, count
}

// check compares a map with a model.
func check(t *testing.T, m *Map, model map[string]string) {
	t.Helper()
	bytes, count := m.root.recount(t, m, 0)
	require.Equal(t, bytes+mapBytes, m.Bytes())
	require.Equal(t, count, m.Len())
	got := map[string]string{}
	rank := 0
	m.Each(func(k, v []byte) bool {
		got[string(k)] = string(v)
		var room Room
		if rank%17 == 0 {
			key, value := m.At(rank, &room)
			require.Equal(t, [2]string{string(k), string(v)}, [2]string{string(key), string(value)})
		}
		rank++
		return true
	})
	require.Equal(t, model, got)
}

func randomKey(r *rand.Rand, keys int) string {
	key := fmt.Sprint("k", r.IntN(keys))
	if r.IntN(20) == 0 {
		key += strings.Repeat("x", 600)
	}
	return key
}

func randomValue(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return strings.Repeat("y", r.IntN(2000))
	}
	return fmt.Sprint(r.IntN(100000))
}

// TestMapModel changes maps, their copies, and naive maps in the same way. SEED repeats a run.
func TestMapModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for _, keys := range []int{5, 40, 400, 4000} {
		for _, sole := range []bool{false, true} {
			m, model := New(sole), map[string]string{}
			for step := range 20_000 {
				key := randomKey(r, keys)
				_, had := model[key]
				removes := step/2000%2 == 1 // it grows and shrinks
				if removes && r.IntN(4) > 0 || r.IntN(4) == 0 {
					require.Equal(t, had, m.Remove([]byte(key)))
					delete(model, key)
				} else {
					value := randomValue(r)
					if sole {
						value = ""
					}
					require.Equal(t, !had, m.Set([]byte(key), []byte(value)))
					model[key] = value
				}
				key = randomKey(r, keys)
				want, has := model[key]
				value, ok := m.Get([]byte(key), nil)
				require.Equal(t, has, ok)
				require.Equal(t, want, string(value))
				if step%1999 == 0 {
					check(t, m, model)
					m = m.Clone()
				}
			}
		}
	}
}

// Changes of a copy leave the original as it was, and the other way round.
func TestCopiesAreIndependent(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for _, keys := range []int{5, 50, 2000} {
		m, model := New(false), map[string]string{}
		for range 2 * keys {
			k, v := randomKey(r, keys), randomValue(r)
			m.Set([]byte(k), []byte(v))
			model[k] = v
		}
		c, copied := m.Clone(), map[string]string{}
		for k, v := range model {
			copied[k] = v
		}
		for range keys {
			k, v := randomKey(r, keys), randomValue(r)
			c.Set([]byte(k), []byte(v))
			copied[k] = v
			k = randomKey(r, keys)
			m.Remove([]byte(k))
			delete(model, k)
		}
		check(t, m, model)
		check(t, c, copied)
	}
}

// A scan returns every entry that stays, and no entry twice, while others come and go.
func TestScanWhileChanging(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for _, keys := range []int{0, 1, 20, 1000, 20_000} {
		for _, count := range []int{1, 10, 1000} {
			m := New(true)
			for i := range keys {
				m.Set(fmt.Append(nil, "stays", i), nil)
			}
			seen := map[string]int{}
			for cursor, calls := uint64(0), 0; calls == 0 || cursor != 0; calls++ {
				got := 0
				cursor = m.Scan(cursor, count, func(k, _ []byte) {
					seen[string(k)]++
					got++
				})
				require.LessOrEqual(t, got, count+leafMost)
				m.Set(fmt.Append(nil, "other", r.IntN(1000)), nil)
				m.Remove(fmt.Append(nil, "other", r.IntN(1000)))
			}
			for i := range keys {
				require.Equal(t, 1, seen[fmt.Sprint("stays", i)])
			}
		}
	}
	require.Zero(t, New(true).Scan(1<<60, 10, nil))
}

func BenchmarkSet(b *testing.B) {
	m := New(false)
	for i := range b.N {
		m.Set(fmt.Appendf(nil, "element:%012d", i%1_000_000), []byte("xxx"))
	}
	b.ReportMetric(float64(m.Bytes())/float64(max(m.Len(), 1)), "bytes/entry")
}

func BenchmarkGet(b *testing.B) {
	m := New(false)
	for i := range 1_000_000 {
		m.Set(fmt.Appendf(nil, "element:%012d", i), []byte("xxx"))
	}
	for i := 0; b.Loop(); i++ {
		m.Get(fmt.Appendf(nil, "element:%012d", i*7919%1_000_000), nil)
	}
}
