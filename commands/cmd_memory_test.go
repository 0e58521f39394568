package commands

import (
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestMemoryUsage(t *testing.T) {
	h := newHarness(t)
	h.want("MEMORY USAGE k", nil)
	h.want("MEMORY USAGE k SAMPLES x", errNotInteger)
	for _, options := range []string{"SAMPLES", "SAMPLES -1", "FOO 1", "SAMPLES 1 FOO"} {
		h.want("MEMORY USAGE k "+options, errSyntax)
	}
	h.want("SET n 1", ok)
	h.do("SET", "s", strings.Repeat("x", 1000))
	h.do("SET", strings.Repeat("k", 2000), "1")
	h.sortedSet("z", "m", "n")
	size := func(key string) int64 { return h.do("MEMORY", "USAGE", key, "SAMPLES", "0").(int64) }
	require.Less(t, size("n"), int64(32)) // a counter is a cell and nothing else
	require.Greater(t, size("s"), size("n")+1000)
	require.Less(t, size("s"), size("n")+1100)
	require.Greater(t, size(strings.Repeat("k", 2000)), int64(2000))
	require.Greater(t, size("z"), size("n"))
}

func TestMemoryStats(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b 2", ok)
	stats := h.do("MEMORY STATS").([]any)
	require.Equal(t, []any{"keys.count", int64(2)}, stats[2:4])
	require.IsType(t, "", h.do("MEMORY DOCTOR"))
	require.IsType(t, "", h.do("MEMORY MALLOC-STATS"))
	h.want("MEMORY PURGE", ok)
	h.do("HELLO 3")
	require.IsType(t, resptest.Map{}, h.do("MEMORY STATS"))
	require.IsType(t, resptest.Verbatim{}, h.do("MEMORY DOCTOR"))
}
