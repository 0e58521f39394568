package hash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// model is the naive hash: fields and values in the order in which the fields were added.
type model []pair

type pair struct{ field, val string }

func (m model) at(field string) int {
	return slices.IndexFunc(m, func(p pair) bool { return p.field == field })
}

func (m model) apply(how *value.Change, o *value.Operands) model {
	m = slices.Clone(m)
	switch i := m.at(string(o.Value)); {
	case how == Delete && i >= 0:
		m = slices.Delete(m, i, i+1)
	case how == Set && i >= 0:
		m[i].val = string(o.More)
	case how == Set:
		m = append(m, pair{string(o.Value), string(o.More)})
	}
	return m
}

// randomText returns one of some texts, so that many are equal: integers, texts that look like them, and long ones.
func randomText(r *rand.Rand, some int) []byte {
	switch r.IntN(8) {
	case 0:
		return strconv.AppendInt(nil, int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		return []byte([]string{"", "-", "007", "-0", "9223372036854775808"}[r.IntN(5)])
	case 2:
		return bytes.Repeat([]byte("x"), []int{63, 64, 65, 223, 224, 3000}[r.IntN(6)])
	}
	return fmt.Append(nil, "f", r.IntN(some))
}

// limitsOf returns the limits of a round. 20 rounds have all pairs of limits, so both encodings occur often.
func limitsOf(round int) *value.Limits {
	l := value.DefaultLimits
	l.HashEntries, l.HashValue = []int{0, 1, 3, 128, 512}[round%5], []int{0, 4, 64, 10_000}[round/5%4]
	return &l
}

// same requires that a hash has the fields of a model, in every way to read it.
func same(t *testing.T, r *rand.Rand, m model, c value.Collection) {
	t.Helper()
	h := Of(c)
	require.Equal(t, len(m), h.Len())
	var all model
	h.Each(func(field, val []byte) bool {
		all = append(all, pair{string(field), string(val)})
		return true
	})
	var room Room
	for rank, p := range all {
		field, val := h.At(rank, &room)
		require.Equal(t, p, pair{string(field), string(val)}, "rank %d", rank)
	}
	scanned := model{}
	for cursor, calls := uint64(0), 0; calls == 0 || cursor != 0; calls++ {
		cursor = h.Scan(cursor, 1+r.IntN(20), func(field, val []byte) { scanned = append(scanned, pair{string(field), string(val)}) })
	}
	if h.large != nil {
		order := func(a, b pair) int { return bytes.Compare([]byte(a.field), []byte(b.field)) }
		m = slices.Clone(m)
		slices.SortFunc(m, order)
		slices.SortFunc(all, order)
		slices.SortFunc(scanned, order)
	}
	require.True(t, slices.Equal(m, all), "%q is not %q", all, m)
	require.True(t, slices.Equal(m, scanned), "%q is not %q", scanned, m)
	for range 5 {
		field := randomText(r, 40)
		val, ok := h.Get(field, nil)
		i := m.at(string(field))
		require.Equal(t, i >= 0, ok, "%q", field)
		if ok {
			require.Equal(t, m[i].val, string(val))
		}
	}
}

// check requires the invariants of the package.
func check(t *testing.T, m model, c value.Collection, l *value.Limits) {
	t.Helper()
	size := int64(0)
	for _, p := range m {
		size += int64(min(len(p.field), 2) + min(len(p.val), 2)) // an integer of any length takes two bytes at least
	}
	require.GreaterOrEqual(t, c.Bytes(), size)
	require.LessOrEqual(t, Of(c).Seek(), 200)
	s, ok := c.(*small)
	require.Equal(t, map[bool]string{true: "listpack", false: "hashtable"}[ok], c.Encoding())
	if ok {
		require.LessOrEqual(t, s.Len(), l.HashEntries)
		for _, p := range m {
			require.LessOrEqual(t, max(len(p.field), len(p.val)), l.HashValue)
		}
	}
}

// TestModel changes hashes and lists of pairs in the same way. Clones and forks are independent of what happens later.
// SEED repeats a run.
func TestModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	forms := map[string]int{}
	for round := range 40 {
		limits, some := limitsOf(round), []int{4, 40, 400}[r.IntN(3)]
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
			how := []*value.Change{Set, Set, Delete}[r.IntN(3)]
			if now.c == nil {
				how = Set
			}
			o := value.Operands{Value: randomText(r, some), More: randomText(r, some)}
			was, large := now.m, now.c != nil && Of(now.c).large != nil
			now.m = was.apply(how, &o)
			var did value.Outcome
			now.c, did = how.Apply(now.c, &o, limits)
			require.Equal(t, len(now.m) > len(was), did.Added)
			require.Equal(t, how == Set || len(now.m) < len(was), did.Changed)
			require.False(t, large && Of(now.c).large == nil, "a large hash stays large")
			if step%5 == 0 {
				same(t, r, now.m, now.c)
				check(t, now.m, now.c, limits)
			}
			forms[now.c.Encoding()]++
			if len(now.m) == 0 { // the store removes the key
				now = version{}
			}
		}
		for _, v := range old {
			same(t, r, v.m, v.c)
			check(t, v.m, v.c, limits)
		}
	}
	require.Greater(t, forms["listpack"], 500)
	require.Greater(t, forms["hashtable"], 500)
}

// TestForms: a hash becomes large with one field too many, or with a field or a value that is too long.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		what       string
		fields     int
		long       pair
		entries    int
		wantsLarge bool
	}{
		{"as many fields as there may be", 128, pair{}, 128, false},
		{"one field more", 129, pair{}, 128, true},
		{"a value of the longest length", 3, pair{"v", string(bytes.Repeat([]byte("x"), 64))}, 128, false},
		{"a value that is longer", 3, pair{"v", string(bytes.Repeat([]byte("x"), 65))}, 128, true},
		{"a field that is longer", 3, pair{string(bytes.Repeat([]byte("x"), 65)), "v"}, 128, true},
		{"no small hashes", 1, pair{}, 0, true},
	} {
		limits := value.DefaultLimits
		limits.HashEntries, limits.HashValue = c.entries, 64
		var h value.Collection
		var m model
		set := func(p pair) {
			o := value.Operands{Value: []byte(p.field), More: []byte(p.val)}
			h, _ = Set.Apply(h, &o, &limits)
			m = m.apply(Set, &o)
		}
		for i := range c.fields {
			set(pair{strconv.Itoa(i), "v"})
		}
		if c.long.field != "" {
			set(c.long)
		}
		require.Equal(t, c.wantsLarge, Of(h).large != nil, c.what)
		same(t, rand.New(rand.NewPCG(1, 1)), m, h)
	}
}

// TestNothing: the zero Hash has no fields, and its own type alone makes a hash.
func TestNothing(t *testing.T) {
	h := Of(nil)
	require.Zero(t, h.Len())
	require.Nil(t, h.large)
	_, ok := h.Get([]byte("f"), nil)
	require.False(t, ok)
	h.Each(func(_, _ []byte) bool { panic("there is no field") })
	require.Zero(t, h.Scan(7, 10, func(_, _ []byte) { panic("there is no field") }))
}

// TestEachWritesTheHash: the description of the type turns a hash into changes that make it again.
func TestEachWritesTheHash(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for _, fields := range []int{1, 20, 2000} {
		var c, again value.Collection
		var m model
		for range fields {
			o := value.Operands{Value: randomText(r, fields), More: randomText(r, fields)}
			c, _ = Set.Apply(c, &o, &value.DefaultLimits)
			m = m.apply(Set, &o)
		}
		Type.Each(c, func(o *value.Operands) bool {
			again, _ = Type.Whole.Apply(again, o, &value.DefaultLimits)
			return true
		})
		same(t, r, m, c)
		require.Equal(t, c.Len(), again.Len())
		for _, p := range m {
			val, ok := Of(again).Get([]byte(p.field), nil)
			require.True(t, ok)
			require.Equal(t, p.val, string(val))
		}
	}
}
