package sortedset

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

var limits = Limits{Members: 64, MemberBytes: 20}

// itemsOf returns the items of a set in order.
func itemsOf(z *Set) (items []Item) {
	z.Range(0, z.Len(), false, func(it Item) bool {
		items = append(items, it)
		return true
	})
	return items
}

// checkBytes recounts the memory of a set.
func checkBytes(t *testing.T, z *Set) {
	t.Helper()
	bytes := int64(emptyBytes)
	for _, it := range itemsOf(z) {
		bytes += z.itemBytes(it.Member)
	}
	require.Equal(t, bytes, z.Bytes())
}

// change does one random change.
func change(r *rand.Rand, z *Set, members int) {
	member := fmt.Append(nil, "m", r.Intn(members))
	switch op := r.Intn(10); {
	case op < 6:
		z.Set(float64(r.Intn(20)), member, limits)
	case op < 9:
		z.Remove(member)
	case r.Intn(30) == 0: // of a large set it makes a new large form
		from := r.Intn(z.Len()/4 + 1)
		z.RemoveRange(from, z.Len()-r.Intn(z.Len()/4+1))
	default:
		from := r.Intn(z.Len() + 1)
		z.RemoveRange(from, min(from+r.Intn(3), z.Len()))
	}
}

// A set stays in order, whatever its form. The tests of package store hold it against a model.
func TestSetStaysInOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, members := range []int{10, 100, 400} {
		z := New()
		for range 5000 {
			change(r, z, members)
			items := itemsOf(z)
			require.True(t, slices.IsSortedFunc(items, compareItems))
			require.Len(t, items, z.Len())
		}
		checkBytes(t, z)
		require.Equal(t, members < 100, z.Compact())
		require.Equal(t, z.Compact(), z.Encoding() == "listpack")
		require.Equal(t, value.Sorted, z.Kind())
	}
}

// Changes of a copy leave the original as it was: also if the original changes again.
func TestCopiesAreIndependent(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for name, copied := range map[string]func(*Set) value.Collection{"Clone": (*Set).Clone, "Fork": fork, "Draft": draft,
		"Clone of a draft": func(z *Set) value.Collection { return draft(z).Clone() },
		"Fork of a draft":  func(z *Set) value.Collection { return fork(z.Draft()) },
		"Draft of a draft": func(z *Set) value.Collection { return draft(z.Draft()) },
	} {
		for _, members := range []int{10, 400} {
			t.Run(fmt.Sprint(name, members), func(t *testing.T) {
				z := New()
				for range 1000 {
					z.Set(float64(r.Intn(20)), fmt.Append(nil, "m", r.Intn(members)), limits)
				}
				before := itemsOf(z)
				c := copied(z).(*Set)
				require.Equal(t, before, itemsOf(c))
				require.Equal(t, z.Bytes(), c.Bytes())
				for range 1000 {
					change(r, c, members)
				}
				require.Equal(t, before, itemsOf(z))
				checkBytes(t, c)
				checkBytes(t, z)
				checkScores(t, c, members)
				checkScores(t, c.Clone().(*Set), members)
				for range 100 { // the changes of the copy are undone
					change(r, z, members)
				}
				checkBytes(t, z)
				checkScores(t, z, members)
			})
		}
	}
}

// checkScores compares the scores of members with the order.
func checkScores(t *testing.T, z *Set, members int) {
	t.Helper()
	want := map[string]float64{}
	for _, it := range itemsOf(z) {
		want[it.Member] = it.Score
	}
	for m := range members {
		member := fmt.Append(nil, "m", m)
		score, ok := z.Score(member)
		wanted, had := want[string(member)]
		require.Equal(t, had, ok)
		require.True(t, !ok || score == wanted)
	}
}

func draft(z *Set) value.Collection { return z.Draft() }

func fork(z *Set) value.Collection {
	c, _ := z.Fork()
	return c
}

// NewOf keeps the last score of a member.
func TestNewOf(t *testing.T) {
	z := NewOf([]Item{{7, "twice"}, {1, "a"}, {3, "twice"}}, limits)
	require.Equal(t, []Item{{1, "a"}, {3, "twice"}}, itemsOf(z))
	require.True(t, z.Compact())
	require.False(t, NewOf([]Item{{1, "a member of more than 20 bytes"}}, limits).Compact())
}
