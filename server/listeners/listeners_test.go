package listeners

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cellserver/commands"

	"github.com/stretchr/testify/require"
)

// TestListAgreesWithAMap adds and removes random names, and compares the list with a map.
func TestListAgreesWithAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	name := func() string {
		b := make([]byte, random.IntN(7))
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	var list List
	want := map[string]map[*commands.Conn]bool{}
	conns := []*commands.Conn{{}, {}, {}}
	for step := range 20_000 {
		c, n := conns[random.IntN(len(conns))], name()
		switch {
		case want[n][c] && step > 4000: // after 4000 steps most names are in the list
			list.Remove(c, n)
			if delete(want[n], c); len(want[n]) == 0 {
				delete(want, n)
			}
		case !want[n][c]:
			if want[n] == nil {
				want[n] = map[*commands.Conn]bool{}
			}
			want[n][c] = true
			list.Add(c, n)
		}
		if step%500 == 0 {
			requireList(t, &list, want)
		}
		requirePrefixes(t, &list, want, name()+name())
	}
	for n, listening := range want {
		for c := range listening {
			list.Remove(c, n)
		}
	}
	requireList(t, &list, nil)
}

func requireList(t *testing.T, list *List, want map[string]map[*commands.Conn]bool) {
	t.Helper()
	require.Equal(t, len(want), list.Len())
	var names []string
	for x := range list.All() {
		names = append(names, x.Name)
		require.Len(t, x.Conns, len(want[x.Name]))
	}
	require.Equal(t, slices.Sorted(maps.Keys(want)), names)
	for _, block := range list.blocks {
		require.NotEmpty(t, block)
		require.LessOrEqual(t, len(block), blockSize)
	}
}

func requirePrefixes(t *testing.T, list *List, want map[string]map[*commands.Conn]bool, key string) {
	t.Helper()
	var names, prefixes []string
	for _, x := range list.Prefixes(nil, key) {
		names = append(names, x.Name)
	}
	for n := len(key); n >= 0; n-- {
		if want[key[:n]] != nil {
			prefixes = append(prefixes, key[:n])
		}
	}
	require.Equal(t, prefixes, names, key)
}

func TestLongKeysHaveFewSteps(t *testing.T) {
	var list List
	for i := range 1000 {
		list.Add(new(commands.Conn), strings.Repeat("a", i)+"b")
	}
	require.Empty(t, list.Prefixes(nil, strings.Repeat("a", 1000)))
	require.Len(t, list.Prefixes(nil, "aab"+strings.Repeat("a", 1000)), 1)
}

func TestWithout(t *testing.T) {
	a, b := &commands.Conn{ID: 1}, &commands.Conn{ID: 2}
	require.Equal(t, []*commands.Conn{a}, Without([]*commands.Conn{a, b}, b))
	require.Equal(t, []*commands.Conn{a}, Without([]*commands.Conn{a}, b))
	require.Empty(t, Without(nil, b))
}
