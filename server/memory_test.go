package server_test

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestOutOfMemory(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Want("SET k v", ok)
	other.Want("CONFIG SET maxmemory 1", ok)
	for _, line := range []string{"SET k v", "INCR n", "CL.THROTTLE user 1 1 1", "ZADD z 1 a"} {
		h.Want(line, commands.ErrOOM)
	}
	h.Want("INCR", commands.WrongArity("incr"))
	h.Want("GET k", "v")
	h.Want("CL.PROBE user 1 1 1", []any{0, 2, 1, -1, 1})
	h.Want("DEL k", 1)
	require.Subset(t, h.Info("errorstats"), map[string]string{"errorstat_OOM": "count=4"})
}

func TestOutOfMemoryInsideATransaction(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	queued := resptest.Simple("QUEUED")
	h.Want("SET k v", ok)

	h.Want("MULTI", ok)
	other.Want("CONFIG SET maxmemory 1", ok)
	h.Want("GET k", commands.ErrOOM)
	h.Want("UNWATCH", commands.ErrOOM)
	h.Want("SLOWLOG RESET", commands.ErrOOM)
	h.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of previous errors."))
	h.Want("MULTI", ok)
	h.Want("DISCARD", ok)
	h.Want("MULTI", ok)
	h.Want("RESET", resptest.Simple("RESET"))

	other.Want("CONFIG SET maxmemory 0", ok)
	h.Want("MULTI", ok)
	h.Want("SET k x", queued)
	other.Want("CONFIG SET maxmemory 1", ok)
	h.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'."))
	h.Want("EXEC", commands.Error("ERR EXEC without MULTI"))

	other.Want("CONFIG SET maxmemory 0", ok)
	h.Want("MULTI", ok)
	h.Want("GET k", queued)
	other.Want("CONFIG SET maxmemory 1", ok)
	h.Want("EXEC", []string{"v"})
}

// TestAStringLongerThanTheMemory: a SETRANGE that no machine has the memory for ended the process.
func TestAStringLongerThanTheMemory(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET proto-max-bulk-len 9223372036854775807", ok)
	h.Want("SET n 1", ok)
	for _, offset := range []string{"1000000000000000", "100000000000000000", "9223372036854775806"} {
		for _, key := range []string{"n", "absent"} {
			h.Want("SETRANGE "+key+" "+offset+" x", noMemory)
		}
	}
	h.Want("GET n", "1")
	h.Want("EXISTS absent", 0)
	require.Equal(t, "0", h.Info("everything")["command_panics"])
}

const noMemory = commands.Error("OOM the system gives the server no more memory: lower maxmemory, or give the server more")

func TestEvictionMakesRoom(t *testing.T) {
	h := servertest.New(t)
	value := strings.Repeat("v", 1000)
	for i := range 100 {
		h.Want(fmt.Sprintf("SET key%d %s", i, value), ok)
	}
	limit := h.Store.Used() / 2
	h.Want(fmt.Sprintf("CONFIG SET maxmemory %d maxmemory-policy volatile-lru", limit), ok)
	h.Want("SET one more", commands.ErrOOM)
	h.Want("CONFIG SET maxmemory-policy allkeys-random", ok)
	h.Want("SET one more", ok)
	require.Less(t, h.Store.Len(0), 70)
	require.LessOrEqual(t, h.Store.Used(), limit+2000)
	require.NotEqual(t, "0", h.Info("stats")["evicted_keys"])
}

// TestTheSystemHasNoMemory: a command that needs memory for a key is refused and changes nothing.
// Before, it ended its connection, and its partition kept a segment without memory: every later key
// of the partition failed.
func TestTheSystemHasNoMemory(t *testing.T) {
	refuse := true
	h := servertest.NewAt(t, &servertest.Edge{Refuse: func(int) bool { return refuse }})
	for _, line := range []string{"SET k v", "SET k 1", "INCR k", "CL.THROTTLE k 1 1 1", "ZADD k 1 a", "SETRANGE k 5 x", "MSET k 1 l 2"} {
		h.Want(line, noMemory)
		h.Want("EXISTS k", 0)
	}
	h.Want("MULTI", ok)
	h.Want("SET k v", resptest.Simple("QUEUED"))
	h.Want("GET k", resptest.Simple("QUEUED"))
	h.Want("EXEC", []any{noMemory, nil})
	require.Zero(t, h.Store.Used())
	refuse = false
	h.Want("SET k v", ok)
	h.Want("GET k", "v")
	refuse = true
	h.Want("SET k w", ok)
	h.Want("DEL k", 1)
	require.Equal(t, "0", h.Info("everything")["command_panics"])
}
