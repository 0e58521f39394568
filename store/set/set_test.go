package set

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// model is the naive set: members in the order in which they were added.
type model []string

func (m model) apply(how *value.Change, member string) model {
	i := slices.Index(m, member)
	switch {
	case how == Delete && i >= 0:
		return slices.Delete(slices.Clone(m), i, i+1)
	case how == Add && i < 0:
		return append(slices.Clone(m), member)
	}
	return m
}

// edges are members at the edges of the forms: the widths of integers, texts that look like integers, and long texts.
var edges = []string{
	"", "-", "007", "-0", "+1", "9223372036854775808", "-9223372036854775808", "9223372036854775807", "32767", "32768", "-32768", "-32769",
	"2147483647", "2147483648", "-2147483649", string(bytes.Repeat([]byte("x"), 64)), string(bytes.Repeat([]byte("x"), 65)), string(bytes.Repeat([]byte("x"), 5000)),
}

// randomMember returns one of some members. In a set of integers, texts are rare.
func randomMember(r *rand.Rand, some, texts int) string {
	switch r.IntN(20) {
	case 0:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		if e := edges[r.IntN(len(edges))]; texts > 0 {
			return e
		}
	}
	if r.IntN(100) < texts {
		return fmt.Sprint("m", r.IntN(some))
	}
	return strconv.Itoa(r.IntN(some) - some/2)
}

// same requires that a set has the members of a model, in every way to read it.
func same(t *testing.T, r *rand.Rand, m model, c value.Collection) {
	t.Helper()
	s := Of(c)
	require.Equal(t, len(m), s.Len())
	var all, scanned model
	s.Each(func(member []byte) bool {
		all = append(all, string(member))
		return true
	})
	var room Room
	for rank, member := range all {
		require.Equal(t, member, string(s.At(rank, &room)), "rank %d", rank)
	}
	for cursor, calls := uint64(0), 0; calls == 0 || cursor != 0; calls++ {
		cursor = s.Scan(cursor, 1+r.IntN(20), func(member []byte) { scanned = append(scanned, string(member)) })
	}
	if s.ints != nil {
		require.True(t, slices.IsSortedFunc(all, func(a, b string) int { return compareInts(t, a, b) }), "%q", all)
	}
	want := slices.Sorted(slices.Values(m))
	require.True(t, slices.Equal(want, slices.Sorted(slices.Values(all))), "%q is not %q", all, m)
	require.True(t, slices.Equal(want, slices.Sorted(slices.Values(scanned))), "%q is not %q", scanned, m)
	for _, member := range append(edges, randomMember(r, 40, 50)) {
		require.Equal(t, slices.Contains(m, member), s.Has([]byte(member)), "%q", member)
	}
}

func compareInts(t *testing.T, a, b string) int {
	x, err := strconv.ParseInt(a, 10, 64)
	require.NoError(t, err)
	y, err := strconv.ParseInt(b, 10, 64)
	require.NoError(t, err)
	if x < y {
		return -1
	}
	return 1
}

// check requires the invariants of the package.
func check(t *testing.T, m model, c value.Collection, l *value.Limits) {
	t.Helper()
	s := Of(c)
	require.Equal(t, map[bool]string{true: "intset", false: "hashtable"}[s.ints != nil], c.Encoding())
	require.GreaterOrEqual(t, c.Bytes(), int64(2*len(slices.DeleteFunc(slices.Clone(m), func(member string) bool { return member == "" }))))
	require.LessOrEqual(t, s.Seek(), 200)
	switch {
	case s.ints != nil:
		require.LessOrEqual(t, s.Len(), l.SetIntEntries)
	case s.small != nil:
		require.LessOrEqual(t, s.Len(), maxSmallMembers)
		for _, member := range m {
			require.LessOrEqual(t, len(member), maxSmallMember)
		}
	}
}

// order is the order of the forms: a set that grows never goes back.
func order(c value.Collection) int {
	switch c.(type) {
	case *ints:
		return 0
	case *small:
		return 1
	}
	return 2
}

// TestModel changes sets and lists of members in the same way. Clones and forks are independent of what happens later.
// SEED repeats a run.
func TestModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	var forms [3]int
	for round := range 36 { // all combinations, so that each form occurs often
		limits, some, texts := value.DefaultLimits, []int{4, 100, 400}[round%3], []int{0, 3, 70}[round/3%3]
		limits.SetIntEntries = []int{0, 1, 20, 512}[round/9]
		type version struct {
			c value.Collection
			m model
		}
		var now version
		var old []version
		for step := range 400 {
			if now.c != nil && r.IntN(40) == 0 {
				old = append(old, now)
				now.c, _ = now.c.Fork()
			} else if now.c != nil && r.IntN(40) == 0 {
				old = append(old, version{now.c.Clone(), now.m})
			}
			how := []*value.Change{Add, Add, Delete}[r.IntN(3)]
			if now.c == nil {
				how = Add
			}
			member := randomMember(r, some, texts)
			o := value.Operands{Value: []byte(member)}
			was, form := now.m, 0
			if now.c != nil {
				form = order(now.c)
			}
			now.m = was.apply(how, member)
			var did value.Outcome
			now.c, did = how.Apply(now.c, &o, &limits)
			require.Equal(t, len(now.m) > len(was), did.Added)
			require.Equal(t, len(now.m) != len(was), did.Changed)
			require.GreaterOrEqual(t, order(now.c), form)
			if step%5 == 0 {
				same(t, r, now.m, now.c)
				check(t, now.m, now.c, &limits)
			}
			forms[order(now.c)]++
			if len(now.m) == 0 { // the store removes the key
				now = version{}
			}
		}
		for _, v := range old {
			same(t, r, v.m, v.c)
			check(t, v.m, v.c, &limits)
		}
	}
	for form, n := range forms {
		require.Greater(t, n, 300, "form %d", form)
	}
}

// TestForms: a set has the form of its members: integers, few short ones, or others.
func TestForms(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), maxSmallMember+1))
	for _, c := range []struct {
		what    string
		ints    int
		more    []string
		form    int
		wantsAs string
	}{
		{"as many integers as there may be", 512, nil, 0, "intset"},
		{"an integer more", 513, nil, 2, "hashtable"},
		{"a few integers and a text", 127, []string{"m"}, 1, "hashtable"},
		{"a member too many for one block", 127, []string{"m", "n"}, 2, "hashtable"},
		{"many integers and a text", 200, []string{"m"}, 2, "hashtable"},
		{"a long member", 3, []string{long}, 2, "hashtable"},
		{"a long member alone", 0, []string{long}, 2, "hashtable"},
		{"a text that looks like an integer", 0, []string{"007"}, 1, "hashtable"},
	} {
		var s value.Collection
		var m model
		add := func(member string) {
			o := value.Operands{Value: []byte(member)}
			s, _ = Add.Apply(s, &o, &value.DefaultLimits)
			m = m.apply(Add, member)
		}
		for i := range c.ints {
			add(strconv.Itoa(i))
		}
		for _, member := range c.more {
			add(member)
		}
		require.Equal(t, c.form, order(s), c.what)
		require.Equal(t, c.wantsAs, s.Encoding(), c.what)
		same(t, rand.New(rand.NewPCG(1, 1)), m, s)
	}
}

// TestWidths: integers of any width stay what they are when a wider one comes, at either end.
func TestWidths(t *testing.T) {
	all := []int64{0, -1, math.MaxInt16, math.MinInt16, math.MaxInt16 + 1, math.MinInt16 - 1, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MinInt32 - 1,
		math.MaxInt64, math.MinInt64}
	r := rand.New(randtest.Source(t))
	for range 200 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var s value.Collection
		var m model
		for _, n := range all {
			member := strconv.FormatInt(n, 10)
			o := value.Operands{Value: []byte(member)}
			s, _ = Add.Apply(s, &o, &value.DefaultLimits)
			m = m.apply(Add, member)
			same(t, r, m, s)
		}
	}
}

// TestNothing: the zero Set has no members.
func TestNothing(t *testing.T) {
	s := Of(nil)
	require.Zero(t, s.Len())
	require.False(t, s.Has([]byte("m")))
	s.Each(func([]byte) bool { panic("there is no member") })
	require.Zero(t, s.Scan(7, 10, func([]byte) { panic("there is no member") }))
}

// TestEachWritesTheSet: the description of the type turns a set into changes that make it again.
func TestEachWritesTheSet(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for _, texts := range []int{0, 100} {
		for _, members := range []int{1, 20, 2000} {
			var c, again value.Collection
			var m model
			for range members {
				member := randomMember(r, members, texts)
				o := value.Operands{Value: []byte(member)}
				c, _ = Add.Apply(c, &o, &value.DefaultLimits)
				m = m.apply(Add, member)
			}
			Type.Each(c, func(o *value.Operands) bool {
				again, _ = Type.Whole.Apply(again, o, &value.DefaultLimits)
				return true
			})
			same(t, r, m, c)
			require.Equal(t, c.Len(), again.Len())
			for _, member := range m {
				require.True(t, Of(again).Has([]byte(member)), "%q", member)
			}
		}
	}
}
