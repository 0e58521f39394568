package store

import (
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// naiveSet is a slice that is sorted again after every change.
type naiveSet []Item

func (n *naiveSet) set(score float64, member string) (added bool) {
	for i := range *n {
		if (*n)[i].Member == member {
			if (*n)[i].Score != score {
				(*n)[i].Score = score
				n.sort()
			}
			return false
		}
	}
	*n = append(*n, Item{Score: score, Member: member})
	n.sort()
	return true
}

func (n *naiveSet) remove(member string) bool {
	for i := range *n {
		if (*n)[i].Member == member {
			*n = append((*n)[:i], (*n)[i+1:]...)
			return true
		}
	}
	return false
}

func (n *naiveSet) sort() {
	sort.Slice(*n, func(i, j int) bool {
		a, b := (*n)[i], (*n)[j]
		return a.Score < b.Score || a.Score == b.Score && a.Member < b.Member
	})
}

var oddScores = []float64{0, math.Copysign(0, -1), 1, 1, 2.5, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64,
	127, 128, -129, 1 << 31, 1790000000.5, 1790000000123, -1790000000123456, 1 << 53, 1 << 62, -1 << 63, 1 << 63}

func randomScore(r *rand.Rand) float64 {
	if r.Intn(3) == 0 {
		return oddScores[r.Intn(len(oddScores))]
	}
	return float64(r.Intn(50))
}

// TestSortedSetModel drives a sorted set and a sorted slice with the same random
// operations, in the compact form, across the conversion and in the large form.
func TestSortedSetModel(t *testing.T) {
	for _, members := range []int{10, 100, 400} {
		t.Run(fmt.Sprint(members), func(t *testing.T) { sortedSetStory(t, seeded(t), members) })
	}
}

// anyMember returns member number i. Some members are integers of all lengths.
func anyMember(i int) string {
	switch i % 4 {
	case 0:
		return strconv.FormatInt(int64(i-20)<<(i%62), 10)
	case 1:
		return fmt.Sprint(1_790_000_000_000_000_000 + i)
	}
	return fmt.Sprint("m", i)
}

func sortedSetStory(t *testing.T, r *rand.Rand, members int) {
	s := New(Options{Databases: 1, Seed: 1})
	s.SetLimits(limitsOf(64, 20))
	key := []byte("z")
	var model naiveSet
	compact := true
	for step := range scaled(20_000) {
		tx := whole(s, testNow)
		e := tx.Write(key)
		if len(model) == 0 {
			compact = true
		}
		member := anyMember(r.Intn(members))
		if members == 10 && r.Intn(500) == 0 {
			member += strings.Repeat("x", 20)
		}
		switch op := r.Intn(20); {
		case op < 12:
			score := randomScore(r)
			before := slices.Clone(model)
			want := model.set(score, member)
			added, changed := e.ZAdd(score, []byte(member))
			require.Equal(t, want, added)
			require.Equal(t, !slices.Equal(before, model), changed)
			compact = compact && len(model) <= 64 && len(member) <= 20
		case op < 17:
			require.Equal(t, model.remove(member), e.ZRem([]byte(member)))
		case op == 17 && len(model) > 0:
			from := r.Intn(len(model))
			to := min(from+r.Intn(4), len(model))
			if r.Intn(50) == 0 {
				from, to = 0, len(model)
			}
			require.Equal(t, to-from, e.ZRemRange(from, to))
			model = append(model[:from:from], model[to:]...)
		case op == 18 && r.Intn(20) == 0:
			items := append([]Item{{Score: -5, Member: member}, {Score: 7, Member: "twice"}, {Score: 3, Member: "twice"}}, model...)
			e.ZStore(items)
			model = nil
			for _, it := range items {
				model.set(it.Score, it.Member)
			}
			compact = len(model) <= 64
			for _, it := range model {
				compact = compact && len(it.Member) <= 20
			}
		}
		checkSorted(t, r, &e, model, compact)
		if step%50 == 0 {
			checkInvariants(t, tx)
		}
		tx.End()
	}
}

func checkSorted(t *testing.T, r *rand.Rand, e *Entry, model naiveSet, compact bool) {
	t.Helper()
	if len(model) == 0 {
		require.False(t, e.Exists(), "the key is removed with its last member")
		require.Zero(t, e.Sorted().Len())
		return
	}
	z := e.Sorted()
	require.Equal(t, compact, z.Compact())
	require.Equal(t, len(model), z.Len())
	bytes := int64(128)
	for _, it := range model {
		bytes += int64(96 + len(it.Member))
	}
	if compact {
		require.Less(t, e.Collection().Bytes(), bytes)
	} else {
		require.Equal(t, bytes, e.Collection().Bytes())
	}
	from := r.Intn(len(model))
	to := from + r.Intn(len(model)-from) + 1
	var got []Item
	collect := func(score float64, member []byte) bool {
		got = append(got, Item{Score: score, Member: string(member)})
		return true
	}
	z.Range(from, to, false, collect)
	require.Equal(t, []Item(model[from:to]), got)
	got = nil
	z.Range(from, to, true, collect)
	for i := range got {
		require.Equal(t, model[to-1-i], got[i])
	}
	got = nil
	z.Range(from, to, r.Intn(2) == 0, func(score float64, member []byte) bool { return !collect(score, member) })
	require.Len(t, got, 1)
	z.Range(to, from, false, func(float64, []byte) bool { panic("an empty range") })

	it := model[from]
	cursor := z.Cursor()
	for _, i := range []int{from, to - 1, r.Intn(len(model))} {
		score, member := cursor.Item(i)
		require.Equal(t, model[i], Item{Score: score, Member: string(member)})
		require.Equal(t, score, z.ScoreAt(i))
	}
	rank, ok := z.Rank([]byte(it.Member))
	require.True(t, ok)
	require.Equal(t, from, rank)
	score, ok := z.Score([]byte(it.Member))
	require.True(t, ok)
	require.Equal(t, it.Score, score)
	_, ok = z.Rank([]byte("absent"))
	require.False(t, ok)
	_, ok = z.Score([]byte("absent"))
	require.False(t, ok)
	bound := randomScore(r)
	require.Equal(t, sort.Search(len(model), func(i int) bool { return model[i].Score >= bound }),
		z.Search(func(score float64, _ []byte) bool { return score >= bound }))
	checkWithin(t, r, z, model)
}

// checkWithin compares a range of scores, which may end before it begins, and may have no end.
func checkWithin(t *testing.T, r *rand.Rand, z SortedSet, model []Item) {
	t.Helper()
	below := func(bound float64, orAt bool) int {
		return sort.Search(len(model), func(i int) bool {
			return model[i].Score > bound || model[i].Score == bound && !orAt
		})
	}
	low, high := randomScore(r), randomScore(r)
	if r.Intn(4) == 0 {
		high = math.Inf(1)
	}
	for open := range 4 {
		lo, hi := z.Within(low, high, open&1 != 0, open&2 != 0)
		require.Equal(t, below(low, open&1 != 0), lo)
		require.Equal(t, max(lo, below(high, open&2 == 0)), hi)
	}
}

func TestSortedSetCloneIsIndependent(t *testing.T) {
	for _, n := range []int{3, 500} {
		s := New(Options{Databases: 1, Seed: 1})
		tx := whole(s, testNow)
		a := tx.Write([]byte("a"))
		for i := range n {
			a.ZAdd(float64(i), fmt.Append(nil, i))
		}
		a.CopyTo(0, []byte("b"))
		b := tx.Write([]byte("b"))
		require.Equal(t, a.Sorted().Compact(), b.Sorted().Compact())
		for i := range n {
			if i%2 == 0 {
				a.ZRem(fmt.Append(nil, i))
			} else {
				b.ZAdd(-1, fmt.Append(nil, i))
			}
		}
		require.Equal(t, n/2, a.Sorted().Len())
		require.Equal(t, n, b.Sorted().Len())
		require.Equal(t, 1.0, a.Sorted().ScoreAt(0))
		require.Equal(t, -1.0, b.Sorted().ScoreAt(n/2-1))
		require.Equal(t, 0.0, b.Sorted().ScoreAt(n/2))
		checkInvariants(t, tx)
		tx.End()
	}
}

// TestRemovalsCopyTheMembersOnce: the removal of 40,000 members of 40 bytes takes their bytes once, and 24 bytes more for
// each. A list that grows by copies takes several times as much.
func TestRemovalsCopyTheMembersOnce(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte("z"))
	for i := range 100_000 {
		e.ZAdd(float64(i), fmt.Appendf(nil, "%040d", i))
	}
	tx.Silent = true // the list of effects grows by copies
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, 40_000, e.ZRemRange(0, 40_000))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4_000_000))
}

func TestScoresAreNumbers(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte("z"))
	require.Panics(t, func() { e.ZAdd(math.NaN(), []byte("m")) })
	require.Panics(t, func() { e.ZStore([]Item{{Score: 1, Member: "a"}, {Score: math.NaN(), Member: "m"}}) })
	require.False(t, e.Exists())
}

func TestMinusZeroIsZero(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte("z"))
	e.ZAdd(0, []byte("m"))
	changes := tx.Changes()
	e.ZAdd(math.Copysign(0, -1), []byte("m"))
	require.Equal(t, changes, tx.Changes())
	e.ZAdd(math.Copysign(0, -1), []byte("l"))
	rank, _ := e.Sorted().Rank([]byte("l"))
	require.Zero(t, rank, "equal scores are in the order of members")
}

// Only a large set keeps the sign of a negative zero.
func TestMinusZeroInBothForms(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	minusZero := math.Copysign(0, -1)
	small, large := tx.Write([]byte("small")), tx.Write([]byte("large"))
	small.ZAdd(minusZero, []byte("m"))
	large.ZAdd(1, make([]byte, 65))
	large.ZAdd(minusZero, []byte("m"))
	signed := func(e Entry) bool {
		score, ok := e.Sorted().Score([]byte("m"))
		require.True(t, ok)
		return math.Signbit(score)
	}
	require.False(t, signed(small))
	require.True(t, signed(large))
	small.ZStore([]Item{{Score: minusZero, Member: "m"}})
	large.ZStore([]Item{{Score: minusZero, Member: "m"}, {Score: 1, Member: string(make([]byte, 65))}})
	require.False(t, signed(small))
	require.True(t, signed(large))
}

// A small sorted set takes little more memory than its members and scores: those of a sliding log with a member
// for each request. A key of 16 bytes with an object takes 80 of them.
func TestSmallSortedSetsAreSmall(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	for members, most := range map[int64]int64{1: 110, 3: 150, 16: 360, 100: 1600} {
		tx := whole(s, testNow)
		e := tx.Write(fmt.Appendf(nil, "key:%012d", members))
		for i := range members {
			now := testNow/1e6 + 7*i
			e.ZAdd(float64(now), strconv.AppendInt(nil, now, 10))
		}
		require.LessOrEqual(t, e.Memory(), most, "%d members", members)
		require.GreaterOrEqual(t, e.Memory(), 60+14*members)
		tx.End()
	}
}
