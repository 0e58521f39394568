package admin

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestMemoryUsage(t *testing.T) {
	h := servertest.New(t)
	h.Want("MEMORY USAGE k", nil)
	h.Want("MEMORY USAGE k SAMPLES x", commands.ErrNotInteger)
	for _, options := range []string{"SAMPLES", "SAMPLES -1", "FOO 1", "SAMPLES 1 FOO"} {
		h.Want("MEMORY USAGE k "+options, commands.ErrSyntax)
	}
	h.Want("SET n 1", ok)
	h.Do("SET", "s", strings.Repeat("x", 1000))
	h.Do("SET", strings.Repeat("k", 2000), "1")
	h.SortedSet("z", "m", "n")
	size := func(key string) int64 { return h.Do("MEMORY", "USAGE", key, "SAMPLES", "0").(int64) }
	require.Less(t, size("n"), int64(32)) // a counter needs its cell only
	require.Greater(t, size("s"), size("n")+1000)
	require.Less(t, size("s"), size("n")+1100)
	require.Greater(t, size(strings.Repeat("k", 2000)), int64(2000))
	require.Greater(t, size("z"), size("n"))
}

func TestMemoryStats(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b 2", ok)
	stats := h.Do("MEMORY STATS").([]any)
	require.Equal(t, []any{"keys.count", int64(2)}, stats[2:4])
	require.IsType(t, "", h.Do("MEMORY DOCTOR"))
	require.IsType(t, "", h.Do("MEMORY MALLOC-STATS"))
	h.Want("MEMORY PURGE", ok)
	h.Do("HELLO 3")
	require.IsType(t, resptest.Map{}, h.Do("MEMORY STATS"))
	require.IsType(t, resptest.Verbatim{}, h.Do("MEMORY DOCTOR"))
}
