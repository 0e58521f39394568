package list

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store/packed"
	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// model is the naive list: a slice, and Redis's words for each change.
type model [][]byte

func (m model) apply(how *value.Change, o value.Operands) model {
	n := int64(len(m))
	switch how {
	case PushFirst:
		return append(model{bytes.Clone(o.Value)}, m...)
	case PushLast:
		return append(slices.Clone(m), bytes.Clone(o.Value))
	case PopFirst:
		return m[min(max(o.Int, 0), n):]
	case PopLast:
		return m[:n-min(max(o.Int, 0), n)]
	case Set:
		if o.Int < 0 {
			o.Int += n
		}
		if 0 <= o.Int && o.Int < n {
			m = slices.Clone(m)
			m[o.Int] = bytes.Clone(o.Value)
		}
		return m
	case Insert:
		i := slices.IndexFunc(m, func(b []byte) bool { return bytes.Equal(b, o.Value) })
		if i < 0 {
			return m
		}
		if o.Int >= 0 {
			i++
		}
		return slices.Insert(slices.Clone(m), i, bytes.Clone(o.More))
	case Remove:
		return m.remove(o)
	}
	if o.Int < 0 {
		o.Int += n
	}
	if o.End < 0 {
		o.End += n
	}
	from, to := max(o.Int, 0), min(o.End, n-1)
	if from > to {
		return nil
	}
	return m[from : to+1]
}

func (m model) remove(o value.Operands) model {
	m = slices.Clone(m)
	if o.Int < 0 {
		slices.Reverse(m)
		defer slices.Reverse(m)
	}
	left := max(o.Int, -o.Int)
	if o.Int == 0 {
		left = int64(len(m))
	}
	kept := m[:0:0]
	for _, b := range m {
		if left > 0 && bytes.Equal(b, o.Value) {
			left--
			continue
		}
		kept = append(kept, b)
	}
	if o.Int < 0 {
		slices.Reverse(kept)
	}
	return kept
}

// randomText returns one of few texts, so that many are equal, and of all forms.
func randomText(r *rand.Rand) []byte {
	switch r.IntN(12) {
	case 0:
		return bytes.Repeat([]byte("x"), []int{100, 223, 224, 500, 1000, 1100, 5000}[r.IntN(7)])
	case 1:
		return strconv.AppendInt(nil, int64(r.Uint64())>>r.IntN(64), 10)
	case 2:
		return []byte([]string{"", "-", "007"}[r.IntN(3)])
	}
	return fmt.Append(nil, "e", r.IntN(9))
}

// randomChange returns a change of a list with so many elements. Growing lists lose elements rarely.
func randomChange(r *rand.Rand, n int, grows bool) (*value.Change, value.Operands) {
	o := value.Operands{Value: randomText(r), More: randomText(r)}
	how := []*value.Change{PushFirst, PushLast, Insert, Insert, Set}[r.IntN(5)]
	if !grows && r.IntN(3) > 0 || r.IntN(60) == 0 {
		how = []*value.Change{PopFirst, PopLast, Remove, Remove, Trim}[r.IntN(5)]
	}
	switch how {
	case PopFirst, PopLast:
		o.Int = int64(r.IntN([]int{3, 3, 300}[r.IntN(3)]))
	case Set:
		o.Int = int64(r.IntN(2*n+2) - n - 1)
	case Insert:
		o.Int = int64(1 - 2*r.IntN(2))
	case Remove:
		o.Int = int64(r.IntN(21) - 10)
	case Trim:
		o.Int, o.End = int64(r.IntN(5)), int64(n-r.IntN(5))
		if r.IntN(2) == 0 {
			o.Int, o.End = o.Int-int64(n), -1-int64(r.IntN(3))
		}
		if r.IntN(20) == 0 {
			o.Int, o.End = int64(r.IntN(n+1)), int64(r.IntN(n+1))
		}
	}
	return how, o
}

func randomLimits(r *rand.Rand) *value.Limits {
	l := value.DefaultLimits
	if r.IntN(2) == 0 {
		l.ListEntries, l.ListBytes = []int{1, 2, 5, 1000}[r.IntN(4)], []int{0, 20, 300, 100_000}[r.IntN(4)]
	}
	return &l
}

// same requires that a list has the elements of a model, in every way to read it.
func same(t *testing.T, r *rand.Rand, m model, c value.Collection) {
	t.Helper()
	l := Of(c)
	require.Equal(t, len(m), l.Len())
	var all model
	l.Each(func(b []byte) bool {
		all = append(all, bytes.Clone(b))
		return true
	})
	if !slices.EqualFunc(m, all, bytes.Equal) {
		require.Equal(t, m, all)
	}
	if len(m) == 0 {
		return
	}
	i, j := r.IntN(len(m)+1), r.IntN(len(m)+1)
	var part model
	l.Range(i, j, func(b []byte) bool {
		part = append(part, bytes.Clone(b))
		return len(part) < 40
	})
	require.True(t, slices.EqualFunc(m[i:min(max(i, j), i+40)], part, bytes.Equal))
	i = r.IntN(len(m))
	require.Equal(t, string(m[i]), string(l.At(i, nil)))
	sameFound(t, r, m, l)
}

func sameFound(t *testing.T, r *rand.Rand, m model, l List) {
	t.Helper()
	text, backward, most := randomText(r), r.IntN(2) == 0, 1+r.IntN(len(m)+3)
	var want, got []int
	for k := range min(most, len(m)) {
		if backward {
			k = len(m) - 1 - k
		}
		if bytes.Equal(m[k], text) {
			want = append(want, k)
		}
	}
	stop := 1 + r.IntN(20)
	l.Find(text, backward, most, func(i int) bool {
		got = append(got, i)
		return len(got) < stop
	})
	require.Equal(t, want[:min(stop, len(want))], got[:len(got):len(got)])
}

// check requires the invariants of the package.
func check(t *testing.T, c value.Collection) {
	t.Helper()
	g, ok := c.(*large)
	if !ok {
		return
	}
	require.NotNil(t, g.root.kids)
	require.Greater(t, len(g.root.kids), 1, "one leaf is a small list")
	depth := -1
	var below func(n *node, d int) (count int, bytes int64)
	below = func(n *node, d int) (count int, bytes int64) {
		if n.kids == nil {
			if depth < 0 {
				depth = d
			}
			require.Equal(t, depth, d, "the leaves are at one depth")
			require.LessOrEqual(t, n.block.Len(), mostElements)
			require.True(t, n.block.Len() == 1 || n.block.Size() <= mostBytes)
			require.GreaterOrEqual(t, int64(n.room), n.block.Bytes())
			require.True(t, n.room == int(n.block.Bytes()) || n.room <= packed.Room(fullBlock))
			count, bytes = n.block.Len(), nodeBytes+int64(n.room)
		} else {
			require.LessOrEqual(t, len(n.kids), fan)
			bytes = innerBytes
			for _, kid := range n.kids {
				k, b := below(kid, d+1)
				count, bytes = count+k, bytes+b
			}
		}
		require.Positive(t, count, "a node is not empty")
		require.Equal(t, count, n.count)
		require.Equal(t, bytes, n.bytes)
		return count, bytes
	}
	below(g.root, 0)
	require.LessOrEqual(t, depth, 4)
}

// TestModel changes lists and slices in the same way. Clones and forks are independent of what happens later.
// SEED repeats a run.
func TestModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	seen := 0
	for range 30 {
		type version struct {
			c value.Collection
			m model
		}
		var c value.Collection
		var m model
		var old []version
		limits := randomLimits(r)
		for step := range 1500 {
			if c == nil || c.Len() == 0 {
				c, m = nil, nil
			}
			if c != nil && r.IntN(40) == 0 {
				if fork := r.IntN(2) == 0; fork {
					next, _ := c.Fork()
					old, c = append(old, version{c, m}), next
				} else {
					old = append(old, version{c.Clone(), m})
				}
			}
			if r.IntN(100) == 0 && len(old) > 0 { // an undo: the old one changes again
				i := r.IntN(len(old))
				c, m = old[i].c, old[i].m
				old = slices.Delete(old, i, i+1)
			}
			how, o := randomChange(r, len(m), step < 1000)
			if c == nil && !how.Makes {
				continue
			}
			was := len(m)
			m = m.apply(how, o)
			next, did := how.Apply(c, &o, limits)
			c = next
			require.Equal(t, len(m) == was+1, did.Added, "%s", how.Verb)
			require.True(t, did.Changed || len(m) == was)
			if step%10 == 0 {
				same(t, r, m, c)
				check(t, c)
			}
			if _, ok := c.(*large); ok {
				seen++
			}
		}
		for _, v := range old {
			same(t, r, v.m, v.c)
			check(t, v.c)
		}
	}
	require.Greater(t, seen, 1000)
}
