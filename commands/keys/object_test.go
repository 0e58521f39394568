package keys

import (
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestObjectEncoding(t *testing.T) {
	h := servertest.New(t)
	h.Do("MSET", "n", "1", "short", strings.Repeat("x", 44), "long", strings.Repeat("x", 45))
	h.SortedSet("z", "m")
	h.SortedSet("big", strings.Repeat("m", 65))
	for key, want := range map[string]any{"n": "int", "short": "embstr", "long": "raw", "z": "listpack", "big": "skiplist", "absent": nil} {
		h.Want("OBJECT ENCODING "+key, want)
	}
}

func TestObjectIdleTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("OBJECT IDLETIME k", nil)
	h.Want("SET k v", ok)
	h.Advance(7 * time.Second)
	h.Want("OBJECT IDLETIME k", 7)
	h.Want("GET k", "v")
	h.Want("OBJECT IDLETIME k", 0)
	h.Want("OBJECT FREQ absent", nil)
	h.Want("OBJECT FREQ k", errNoLFU)
}

func TestObjectFreq(t *testing.T) {
	h := servertest.New(t, "--maxmemory-policy", "allkeys-lfu")
	h.Want("SET k v", ok)
	h.Want("OBJECT IDLETIME k", errLFU)
	require.IsType(t, int64(0), h.Do("OBJECT FREQ k"))
}

func TestObjectRefCount(t *testing.T) {
	h := servertest.New(t)
	h.Want("OBJECT REFCOUNT k", nil)
	h.Want("SET k v", ok)
	h.Want("OBJECT REFCOUNT k", 1)
}

func TestObjectHelp(t *testing.T) {
	h := servertest.New(t)
	redis := resptest.Dial(t, resptest.StartRedis(t))
	for _, args := range [][]any{{"OBJECT", "HELP"}, {"OBJECT", "foo"}, {"OBJECT", "FREQ"}, {"OBJECT"}, {"MEMORY", "HELP"}, {"MEMORY", "foo"}, {"MEMORY", "USAGE"}} {
		require.Equal(t, redis.Do(args...), h.Do(args...))
	}
}
