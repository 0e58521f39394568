package commands

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestOutOfMemory(t *testing.T) {
	h := newHarness(t)
	other := h.client(t)
	h.want("SET k v", ok)
	other.want("CONFIG SET maxmemory 1", ok)
	for _, line := range []string{"SET k v", "INCR n", "CL.THROTTLE user 1 1 1", "ZADD z 1 a"} {
		h.want(line, errOOM)
	}
	h.want("INCR", wrongArity("incr"))
	h.want("GET k", "v")
	h.want("CL.PROBE user 1 1 1", []any{0, 2, 1, -1, 1})
	h.want("DEL k", 1)
	require.Subset(t, h.info("errorstats"), map[string]string{"errorstat_OOM": "count=4"})
}

func TestOutOfMemoryInsideATransaction(t *testing.T) {
	h := newHarness(t)
	other := h.client(t)
	queued := resptest.Simple("QUEUED")
	h.want("SET k v", ok)

	h.want("MULTI", ok)
	other.want("CONFIG SET maxmemory 1", ok)
	h.want("GET k", errOOM)
	h.want("UNWATCH", errOOM)
	h.want("EXEC", errExecAbort)
	h.want("MULTI", ok)
	h.want("DISCARD", ok)
	h.want("MULTI", ok)
	h.want("RESET", resptest.Simple("RESET"))

	other.want("CONFIG SET maxmemory 0", ok)
	h.want("MULTI", ok)
	h.want("SET k x", queued)
	other.want("CONFIG SET maxmemory 1", ok)
	h.want("EXEC", Error("EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'."))
	h.want("EXEC", errExecNoMulti)

	other.want("CONFIG SET maxmemory 0", ok)
	h.want("MULTI", ok)
	h.want("GET k", queued)
	other.want("CONFIG SET maxmemory 1", ok)
	h.want("EXEC", []string{"v"})
}

func TestEvictionMakesRoom(t *testing.T) {
	h := newHarness(t)
	value := strings.Repeat("v", 1000)
	for i := range 100 {
		h.want(fmt.Sprintf("SET key%d %s", i, value), ok)
	}
	limit := h.server.Store.Used() / 2
	h.want(fmt.Sprintf("CONFIG SET maxmemory %d maxmemory-policy volatile-lru", limit), ok)
	h.want("SET one more", errOOM)
	h.want("CONFIG SET maxmemory-policy allkeys-random", ok)
	h.want("SET one more", ok)
	require.Less(t, h.server.Store.Len(0), 70)
	require.LessOrEqual(t, h.server.Store.Used(), limit+2000)
	require.NotEqual(t, "0", h.info("stats")["evicted_keys"])
}
