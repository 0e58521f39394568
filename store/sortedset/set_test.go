package sortedset

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

var limits = value.Limits{ZSetEntries: 64, ZSetValue: 20}

// itemsOf returns the items of a set in order.
func itemsOf(c value.Collection) (items []Item) {
	Of(c).Range(0, c.Len(), false, func(score float64, member []byte) bool {
		items = append(items, Item{score, string(member)})
		return true
	})
	return items
}

// checkBytes recounts the memory of a set.
func checkBytes(t *testing.T, c value.Collection) {
	t.Helper()
	if Of(c).Compact() {
		return // it is the size of the block
	}
	bytes := int64(emptyBytes)
	for _, it := range itemsOf(c) {
		bytes += bytesOfItem(it.Member)
	}
	require.Equal(t, bytes, c.Bytes())
}

// set gives a member its score.
func set(c value.Collection, score float64, member []byte) value.Collection {
	c, _ = add(c, &value.Operands{Score: score, Value: member}, &limits)
	return c
}

// filled returns a set of up to a number of members.
func filled(r *rand.Rand, members int) (c value.Collection) {
	for range 1000 {
		c = set(c, float64(r.Intn(20)), fmt.Append(nil, "m", r.Intn(members)))
	}
	return c
}

// change does one random change.
func change(r *rand.Rand, c value.Collection, members int) value.Collection {
	member, n := fmt.Append(nil, "m", r.Intn(members)), c.Len()
	switch op := r.Intn(10); {
	case op < 6:
		return set(c, float64(r.Intn(20)), member)
	case op < 9:
		c, _ = remove(c, &value.Operands{Value: member}, nil)
		return c
	case r.Intn(30) == 0: // of a large set it makes a new large form
		from := r.Intn(n/4 + 1)
		return RemoveRange(c, from, n-r.Intn(n/4+1), func([]byte) {})
	default:
		from := r.Intn(n + 1)
		return RemoveRange(c, from, min(from+r.Intn(3), n), func([]byte) {})
	}
}

// A set stays in order, whatever its form. The tests of package store hold it against a model.
func TestSetStaysInOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, members := range []int{10, 100, 400} {
		z := set(nil, 1, []byte("m0"))
		for range 5000 {
			z = change(r, z, members)
			items := itemsOf(z)
			require.True(t, slices.IsSortedFunc(items, compareItems))
			require.Len(t, items, z.Len())
			if last := z.Len() - 1; last >= 0 {
				Of(z).Range(last, last+1, false, func(score float64, member []byte) bool {
					require.Equal(t, items[last], Item{score, string(member)})
					return true
				})
			}
		}
		checkBytes(t, z)
		require.Equal(t, members < 100, Of(z).Compact())
		require.Equal(t, members < 100, z.Encoding() == "listpack")
		require.Equal(t, value.Sorted, z.Kind())
	}
}

// Changes of a copy leave the original as it was: also if the original changes again.
func TestCopiesAreIndependent(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for name, copied := range map[string]func(value.Collection) value.Collection{
		"Clone": value.Collection.Clone, "Fork": fork, "Draft": draft,
		"Clone of a draft": func(z value.Collection) value.Collection { return draft(z).Clone() },
		"Fork of a draft":  func(z value.Collection) value.Collection { return fork(draft(z)) },
		"Draft of a draft": func(z value.Collection) value.Collection { return draft(draft(z)) },
	} {
		for _, members := range []int{10, 400} {
			t.Run(fmt.Sprint(name, members), func(t *testing.T) {
				z := filled(r, members)
				before := itemsOf(z)
				c := copied(z)
				require.Equal(t, before, itemsOf(c))
				require.Equal(t, z.Bytes(), c.Bytes())
				for range 1000 {
					c = change(r, c, members)
				}
				require.Equal(t, before, itemsOf(z))
				checkBytes(t, c)
				checkBytes(t, z)
				checkScores(t, c, members)
				checkScores(t, c.Clone(), members)
				for range 100 { // the changes of the copy are undone
					z = change(r, z, members)
				}
				checkBytes(t, z)
				checkScores(t, z, members)
			})
		}
	}
}

// checkScores compares the scores of members with the order.
func checkScores(t *testing.T, z value.Collection, members int) {
	t.Helper()
	want := map[string]float64{}
	for _, it := range itemsOf(z) {
		want[it.Member] = it.Score
	}
	for m := range members {
		member := fmt.Append(nil, "m", m)
		score, ok := Of(z).Score(member)
		wanted, had := want[string(member)]
		require.Equal(t, had, ok)
		require.True(t, !ok || score == wanted)
	}
}

func draft(z value.Collection) value.Collection { return Of(z).Draft() }

func fork(z value.Collection) value.Collection {
	c, _ := z.Fork()
	return c
}

// NewOf keeps the last score of a member.
func TestNewOf(t *testing.T) {
	z := NewOf([]Item{{7, "twice"}, {1, "a"}, {3, "twice"}}, &limits)
	require.Equal(t, []Item{{1, "a"}, {3, "twice"}}, itemsOf(z))
	require.True(t, Of(z).Compact())
	require.False(t, Of(NewOf([]Item{{1, "a member of more than 20 bytes"}}, &limits)).Compact())
}
