package commands

import (
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestObjectEncoding(t *testing.T) {
	h := newHarness(t)
	h.do("MSET", "n", "1", "short", strings.Repeat("x", 44), "long", strings.Repeat("x", 45))
	h.sortedSet("z", "m")
	h.sortedSet("big", strings.Repeat("m", 65))
	for key, want := range map[string]any{"n": "int", "short": "embstr", "long": "raw", "z": "listpack", "big": "skiplist", "absent": nil} {
		h.want("OBJECT ENCODING "+key, want)
	}
}

func TestObjectIdleTime(t *testing.T) {
	h := newHarness(t)
	h.want("OBJECT IDLETIME k", nil)
	h.want("SET k v", ok)
	h.advance(7 * time.Second)
	h.want("OBJECT IDLETIME k", 7)
	h.want("GET k", "v")
	h.want("OBJECT IDLETIME k", 0)
	h.want("OBJECT FREQ absent", nil)
	h.want("OBJECT FREQ k", errNoLFU)
}

func TestObjectFreq(t *testing.T) {
	h := newHarness(t, "--maxmemory-policy", "allkeys-lfu")
	h.want("SET k v", ok)
	h.want("OBJECT IDLETIME k", errLFU)
	require.IsType(t, int64(0), h.do("OBJECT FREQ k"))
}

func TestObjectRefCount(t *testing.T) {
	h := newHarness(t)
	h.want("OBJECT REFCOUNT k", nil)
	h.want("SET k v", ok)
	h.want("OBJECT REFCOUNT k", 1)
}

func TestObjectHelp(t *testing.T) {
	h := newHarness(t)
	redis := resptest.Dial(t, resptest.StartRedis(t))
	for _, args := range [][]any{{"OBJECT", "HELP"}, {"OBJECT", "foo"}, {"OBJECT", "FREQ"}, {"OBJECT"}, {"MEMORY", "HELP"}, {"MEMORY", "foo"}, {"MEMORY", "USAGE"}} {
		require.Equal(t, redis.Do(args...), h.do(args...))
	}
}
