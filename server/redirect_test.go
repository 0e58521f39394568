package server_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const (
	movedA     commands.Error = "MOVED 15495 10.0.0.2:6379" // the slot of the key a, and node 1
	down       commands.Error = "CLUSTERDOWN The cluster is down"
	readOnly   commands.Error = "READONLY You can't write against a read only replica."
	loading    commands.Error = "LOADING Redis is loading the dataset in memory"
	execAbort  commands.Error = "EXECABORT Transaction discarded because of previous errors."
	execRefuse commands.Error = "EXECABORT Transaction discarded because of: "
)

// TestRedirection runs commands on nodes in every state. The replies of a follower are those of a replica of Redis 7.0.
func TestRedirection(t *testing.T) {
	const follower, leads, ended = 0, 1, 2 // the kind of node
	for _, story := range []struct {
		name    string
		node    int
		state   topology.State
		replies []any // command, reply, …
	}{
		{"a follower", follower, topology.OK, []any{
			"GET a", movedA, "SET a 1", movedA, "MGET {a}1 {a}2", movedA, "MGET a b", commands.ErrCrossSlot, "WATCH a", movedA,
			"CL.THROTTLE a 1 1 1", movedA, "CL.CHECK rule a", movedA, "MEMORY USAGE a", movedA, "OBJECT ENCODING a", movedA,
			"DBSIZE", 0, "KEYS *", []any{}, "SCAN 0", []any{"0", []any{}}, "RANDOMKEY", nil, "CLUSTER COUNTKEYSINSLOT 5", 0, "CL.RULE LIST", []any{},
			"FLUSHALL", readOnly, "FLUSHDB", readOnly, "CL.RULE SET r CL.THROTTLE 1 1 1", commands.Error("MOVED 8707 10.0.0.2:6379"),
			"CL.RULE TRY r CL.THROTTLE 1 1 1", commands.Error("MOVED 8707 10.0.0.2:6379"), "READONLY", ok, "CL.RULE TRY r CL.THROTTLE 1 1 1", commands.Error("MOVED 8707 10.0.0.2:6379"), "READWRITE", ok,
			"PING", resptest.Simple("PONG"), "UNWATCH", ok, "CLUSTER KEYSLOT a", 15495, "PUBLISH a b", 0, "TTL a", movedA,
		}},
		{"a READONLY client", follower, topology.OK, []any{
			"READONLY", ok, "GET a", nil, "MGET {a}1 {a}2", []any{nil, nil}, "MGET a b", commands.ErrCrossSlot, "WATCH a", ok, "UNWATCH", ok,
			"SET a 1", movedA, "CL.THROTTLE a 1 1 1", movedA, "FLUSHALL", readOnly,
			"READWRITE", ok, "GET a", movedA, "READONLY", ok, "GET a", nil, "RESET", resptest.Simple("RESET"), "GET a", movedA,
		}},
		{"a follower without a leader", follower, topology.Down, []any{
			"GET a", down, "SET a 1", down, "DBSIZE", 0, "FLUSHALL", readOnly, "PING", resptest.Simple("PONG"), "READONLY", ok, "GET a", nil, "SET a 1", down,
		}},
		{"a node that joins", follower, topology.Joining, []any{
			"GET a", loading, "DBSIZE", loading, "FLUSHALL", loading, "READONLY", ok, "GET a", loading, "PING", resptest.Simple("PONG"),
		}},
		{"the leader", leads, topology.OK, []any{
			"SET a 1", ok, "GET a", "1", "FLUSHALL", ok, "DBSIZE", 0, "MGET a b", commands.ErrCrossSlot, "CL.RULE SET r CL.THROTTLE 1 1 1", ok,
		}},
		{"a leader whose epoch has ended", ended, topology.OK, []any{
			"GET a", down, "SET a 1", down, "DBSIZE", down, "FLUSHALL", down, "CLUSTER GETKEYSINSLOT 1 1", down, "READONLY", ok, "GET a", down,
			"UNWATCH", ok, "PING", resptest.Simple("PONG"),
		}},
	} {
		t.Run(story.name, func(t *testing.T) {
			self, leader := 0, 1
			if story.node != follower {
				self = leader
			}
			h, cluster := servertest.NewMember(t, self, leader)
			cluster.Now.State = story.state
			if story.node == ended {
				cluster.Epochs = []uint64{0}
			}
			for i := 0; i < len(story.replies); i += 2 {
				h.Want(story.replies[i].(string), story.replies[i+1])
			}
		})
	}
}

func TestRedirectionBeforeTheFirstElection(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, -1)
	cluster.Now.State, cluster.Now.Fresh = topology.Down, 0
	h.Want("GET a", down)
	h.Want("DBSIZE", loading)
}

// A node that has just started may know the leader, and not its port for clients.
func TestRedirectionToALeaderWithoutAPort(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Now.Nodes[1].Port = 0
	h.Want("GET a", down)
	cluster.Now.Nodes[1].Port = 6379
	h.Want("GET a", movedA)
}

// TestKeysThatAreTooOld asks a follower that has not heard the leader for some time.
func TestKeysThatAreTooOld(t *testing.T) {
	for _, state := range []topology.State{topology.OK, topology.Down} {
		for _, story := range []struct {
			fresh int64
			reply any
		}{{0, loading}, {servertest.Start, nil}, {servertest.Start - 1, down}} {
			h, cluster := servertest.NewMember(t, 0, 1)
			cluster.Now.State, cluster.Now.Fresh = state, story.fresh
			h.Want("READONLY", ok)
			h.Want("GET a", story.reply)
			h.Want("RANDOMKEY", story.reply)
			h.Want("PING", resptest.Simple("PONG"))
			h.Want("MULTI", ok)
			if story.reply == nil {
				h.Want("GET a", servertest.Queued)
				h.Want("DISCARD", ok)
			} else {
				h.Want("GET a", story.reply)
				h.Want("EXEC", execAbort)
			}
			h.Want("READWRITE", ok)
			h.Want("RANDOMKEY", story.reply)
		}
	}
}

func TestRedirectionInTransactions(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	h.Want("MULTI", ok)
	h.Want("GET a", movedA)
	h.Want("PING", servertest.Queued)
	h.Want("EXEC", execAbort)

	h.Want("READONLY", ok)
	h.Want("MULTI", ok)
	h.Want("GET a", servertest.Queued)
	h.Want("EXEC", []any{nil})
	h.Want("MULTI", ok)
	h.Want("GET a", servertest.Queued)
	h.Want("SET a 1", movedA)
	h.Want("EXEC", execAbort)

	// The node stops leading between MULTI and EXEC.
	h.Want("READWRITE", ok)
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 0), []uint64{5}
	for _, story := range []struct {
		queued string
		refuse commands.Error
	}{{"SET a 1", movedA}, {"FLUSHALL", execRefuse + commands.Error(readOnly)}} {
		cluster.Now, cluster.Epochs = servertest.View(3, 0, 0), []uint64{5}
		h.Want("WATCH {a}1", ok)
		h.Want("MULTI", ok)
		h.Want(story.queued, servertest.Queued)
		cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
		h.Want("EXEC", story.refuse)
		h.Want("EXEC", commands.Error("ERR EXEC without MULTI"))
		require.False(t, h.State.Conn().Transaction.Watcher.Watching())
	}
}

// TestEpochEndsUnderTheLocks: Begin finds an epoch, and the epoch is another one once the partitions are locked.
func TestEpochEndsUnderTheLocks(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	other := h.NewClient(t)
	follower, leader := servertest.View(3, 0, 1), cluster.Now
	sets := h.Server.Calls(commands.Lookup([]byte("set")))
	for _, story := range []struct {
		command string
		view    *topology.View
		epoch   uint64
		reply   any
	}{
		{"SET a 1", follower, 0, movedA},
		{"SET a 1", leader, 0, down},
		{"SET a 1", leader, 6, down}, // it led, did not, and leads again
		{"DEL {a}1 {a}2", follower, 0, movedA},
		{"FLUSHALL", follower, 0, readOnly},
		{"DBSIZE", leader, 0, 0}, // it takes no lock
		{"KEYS *", leader, 0, down},
		{"CLUSTER COUNTKEYSINSLOT 1", leader, 0, down},
		{"PING", follower, 0, resptest.Simple("PONG")},
	} {
		cluster.Now, cluster.Epochs = story.view, []uint64{5, story.epoch}
		h.Want(story.command, story.reply)
	}
	require.Equal(t, sets, h.Server.Calls(commands.Lookup([]byte("set"))), "no SET ran")
	cluster.Now, cluster.Epochs = leader, []uint64{6}
	other.Want("GET a", nil)

	// A transaction whose epoch ends is dropped, with its watched keys.
	h.Want("WATCH {a}1", ok)
	h.Want("MULTI", ok)
	h.Want("SET a 1", servertest.Queued)
	cluster.Now, cluster.Epochs = follower, []uint64{6, 0}
	h.Want("EXEC", movedA)
	require.False(t, h.State.Conn().Transaction.Watcher.Watching())
	require.False(t, h.State.Conn().Transaction.Queue.Active)

	// UNWATCH, DISCARD and RESET lock partitions, and work in any epoch.
	for _, command := range []string{"UNWATCH", "RESET"} {
		cluster.Now, cluster.Epochs = leader, []uint64{6}
		h.Want("WATCH {a}1", ok)
		cluster.Epochs = []uint64{6, 0}
		require.NotEqual(t, h.Wire(down), h.Do(command))
		require.False(t, h.State.Conn().Transaction.Watcher.Watching(), command)
	}

	// A node that begins to lead does not run a batch that began before.
	cluster.Now, cluster.Epochs = leader, []uint64{0, 0, 7}
	h.Want("GET a", down)
}

// TestKeysAreLoadedUnderTheLocks: a node that follows admits a read, and loads a snapshot of the leader before the read has its
// partitions. The keys are incomplete then.
func TestKeysAreLoadedUnderTheLocks(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	follows, loads := cluster.Now, servertest.View(3, 0, 1)
	loads.State = topology.Joining
	h.Want("READONLY", ok)
	for command, reply := range map[string]any{
		"GET a": loading, "MGET {a}1 {a}2": loading, "KEYS *": loading, "SCAN 0": loading,
		"PING": resptest.Simple("PONG"),
	} {
		cluster.Now, cluster.Views = loads, []*topology.View{follows}
		h.Want(command, reply)
		cluster.Now, cluster.Views = follows, nil
		require.NotEqual(t, h.Wire(loading), h.Do(command))
	}
}

// TestOneEpochForABatch: the commands of a batch run in one epoch, or not at all.
func TestOneEpochForABatch(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	cluster.Epochs = []uint64{5, 5, 6} // Begin, the first command, the others
	h.Send(append(resptest.Command("SET", "a", "1"), append(resptest.Command("SET", "a", "2"), resptest.Command("GET", "a")...)...))
	require.Equal(t, "+OK\r\n-"+string(down)+"\r\n-"+string(down)+"\r\n", string(h.Session.Output()))
	h.Session.Sent()
	h.Want("GET a", "1")
}

// TestFollowersDoNotEvict: memory beyond maxmemory is the business of the leader.
func TestFollowersDoNotEvict(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0, "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-random")
	cluster.Epochs = []uint64{5}
	for i := range 9 {
		h.Want("SETRANGE {a}"+string(rune('0'+i))+" 200000 x", 200001)
	}
	evicted := func() int64 { return h.Store.Counters().Evicted }
	require.NotZero(t, evicted())
	h.Want("CONFIG SET maxmemory 1", ok)
	before := evicted()
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
	h.Want("DBSIZE", h.Store.Len(0))
	h.Want("READONLY", ok)
	h.Do("GET {a}1")
	require.Equal(t, before, evicted())

	// The epoch ends after the check of the memory: the store asks again under its locks.
	keys := h.Store.Len(0)
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 0), []uint64{5, 5, 0}
	h.Want("SET a 1", down)
	require.Equal(t, keys, h.Store.Len(0))
	require.Equal(t, before, evicted())
}
