package admin

import (
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/replica"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// link is a server that follows another one as long as a test says.
type link struct {
	state   replica.State
	follows bool
}

func (l *link) Follow(host string, port int) {
	l.state, l.follows = replica.State{Host: host, Port: port, Phase: replica.Connecting}, true
}
func (l *link) Leave()                             { l.follows = false }
func (l *link) Enter(*store.Tx, string, int) error { return nil }
func (l *link) State() (replica.State, bool)       { return l.state, l.follows }

func TestReplicaOf(t *testing.T) {
	l := &link{}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l})
	for _, name := range []string{"REPLICAOF", "SLAVEOF"} {
		h.Want(name+" 10.0.0.1 x", commands.Error("ERR Invalid master port"))
		h.Want(name+" 10.0.0.1 65536", commands.Error("ERR Invalid master port"))
		h.Want(name+" 10.0.0.1", commands.Error("ERR wrong number of arguments for '"+strings.ToLower(name)+"' command"))
		require.False(t, l.follows)
		h.Want(name+" 10.0.0.1 6379", servertest.OK)
		h.Want("ROLE", []any{"slave", "10.0.0.1", 6379, "connecting", -1})
		require.Contains(t, h.Do("HELLO"), "replica")
		h.Want(name+" 10.0.0.1 6379", resptest.Simple("OK Already connected to specified master"))
		l.state.Stopped = true
		h.Want(name+" 10.0.0.1 6379", servertest.OK) // a move that has stopped begins again
		h.Want(name+" no ONE", servertest.OK)
		h.Want("ROLE", []any{"master", 0, []any{}})
		require.NotContains(t, h.Do("HELLO"), "replica")
	}
}

// REPLICAOF works in MULTI, as in Redis, and not in a script.
func TestReplicaOfInside(t *testing.T) {
	l := &link{}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l})
	require.Contains(t, h.Do("EVAL", "return redis.call('REPLICAOF', 'NO', 'ONE')", 0), "This Redis command is not allowed from script")
	for _, queue := range [][]string{
		{"FLUSHALL", "REPLICAOF 10.0.0.1 6379"},
		{"REPLICAOF 10.0.0.1 6379", "FLUSHALL"},
		{"REPLICAOF NO ONE", "REPLICAOF 10.0.0.1 6379"},
	} {
		l.follows = false
		h.Want("MULTI", servertest.OK)
		for _, command := range queue {
			h.Do(command)
		}
		require.False(t, l.follows)
		h.Want("EXEC", []any{servertest.OK, servertest.OK})
		require.True(t, l.follows, "%q", queue)
	}
}

func TestWhoFollowsNobody(t *testing.T) {
	servertest.New(t).Want("REPLICAOF NO ONE", commands.Error("ERR REPLICAOF is for a server with keys, and a sidecar has none"))
	h, _ := servertest.NewMember(t, 0, 0)
	h.Want("SLAVEOF 10.0.0.1 6379", commands.Error("ERR REPLICAOF not allowed in cluster mode."))
	l := &link{}
	h = servertest.NewAt(t, &servertest.Edge{Follows: l})
	for _, host := range []string{"", "a b", `{"x`, strings.Repeat("x", 256)} {
		require.EqualValues(t, errMasterHost, h.Do("REPLICAOF", host, "6379"))
	}
	require.False(t, l.follows)
}

// TestTheSameMasterAgain: REPLICAOF NO ONE and then the present master, in one MULTI, keep the master.
func TestTheSameMasterAgain(t *testing.T) {
	l := &link{}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l})
	h.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
	h.Want("MULTI", servertest.OK)
	h.Do("REPLICAOF NO ONE")
	h.Do("REPLICAOF 10.0.0.1 6379")
	h.Want("EXEC", []any{servertest.OK, servertest.OK})
	require.True(t, l.follows)
}

func TestInfoOfAReplica(t *testing.T) {
	l := &link{follows: true}
	l.state = replica.State{
		Host: "10.0.0.1", Port: 6379, Phase: replica.Copying, LastIO: 1,
		Position: replica.Position{ID: "abc", Offset: 7}, Read: 9,
		Copy:    replica.Progress{Read: 50, Keys: 3, Of: 12},
		LeftOut: map[string]int64{"stream": 2, "command XADD": 1}, Failed: "no\r\nroute",
	}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l})
	f := h.Info("replication")
	for name, value := range map[string]string{
		"role": "slave", "master_host": "10.0.0.1", "master_port": "6379", "master_link_status": "down",
		"master_last_io_seconds_ago": "-1", "master_sync_in_progress": "1", "slave_repl_offset": "7",
		"slave_read_repl_offset": "9", "master_sync_perc": "25.00", "master_sync_total_keys": "12",
		"master_left_out": `"command XADD"=1,"stream"=2`, "master_link_error": `"no\r\nroute"`,
		"master_replid": "abc", "master_repl_offset": "7", "slave_read_only": "1",
	} {
		require.Equal(t, value, f[name], name)
	}
	l.state.Phase, l.state.Copy = replica.Connected, replica.Progress{}
	f = h.Info("replication")
	require.Equal(t, "up", f["master_link_status"])
	require.NotContains(t, f, "master_sync_perc")
	require.NotContains(t, f, "master_link_down_since_seconds")
}

// TestMetricsOfAReplica: Prometheus, CL.STATUS and the page see how the link is, and no key in an error.
func TestMetricsOfAReplica(t *testing.T) {
	l := &link{}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l})
	require.NotContains(t, h.Server.Metrics(), "master_")
	require.Nil(t, statusOf(t, h)["master"])
	l.follows = true
	for _, now := range []struct {
		phase             replica.Phase
		stopped           bool
		link              string
		up, stoppedMetric float64
	}{
		{replica.Copying, false, "copying", 1, 0}, {replica.Connected, false, "up", 1, 0},
		{replica.Waiting, false, "down", 0, 0}, {replica.Greeting, false, "down", 0, 0}, {replica.Waiting, true, "stopped", 0, 1},
	} {
		l.state = replica.State{
			Host: "10.0.0.1", Port: 6379, Phase: now.phase, Stopped: now.stopped, LastIO: h.Clock.Monotonic(), Copies: 4,
			Failed: "SETBIT cannot run here (key \"secret-key\")", LeftOut: map[string]int64{"stream": 2, "command XADD": 1},
		}
		h.Advance(3 * time.Second)
		got := servertest.Samples(t, h.Server.Metrics())
		require.Equal(t, []float64{now.up, now.stoppedMetric, 4, 3, 3}, []float64{
			got["cellserver_master_link_up"], got["cellserver_master_link_stopped"], got["cellserver_master_full_copies_total"],
			got["cellserver_master_last_io_seconds"], got["cellserver_master_left_out"],
		}, now.link)
		require.Equal(t, map[string]any{
			"address": "10.0.0.1:6379", "link": now.link, "full_copies": 4.0, "left_out": `"command XADD"=1,"stream"=2`,
		}, statusOf(t, h)["master"])
		require.NotContains(t, h.Do("CL.STATUS"), "secret-key")
	}
	l.state.LastIO = 0
	require.NotContains(t, h.Server.Metrics(), "master_last_io_seconds", "nothing has arrived")
}

// TestMetricsOfAFollower: a node that does not lead has no link, and says what its cluster's leader has said.
func TestMetricsOfAFollower(t *testing.T) {
	l := &link{follows: true, state: replica.State{Host: "10.0.0.1", Port: 6379}}
	topology := &servertest.Topology{Now: servertest.View(3, 0, 1), Epochs: []uint64{0}}
	h := servertest.NewAt(t, &servertest.Edge{Follows: l, Topology: topology}, "--cluster-enabled", "yes")
	for _, stopped := range []bool{false, true} {
		l.state.Stopped = stopped
		got := servertest.Samples(t, h.Server.Metrics())
		require.Equal(t, float64(commands.Bit(stopped)), got["cellserver_master_link_stopped"])
		require.NotContains(t, got, "cellserver_master_link_up")
		require.Equal(t, map[bool]string{false: "elsewhere", true: "stopped"}[stopped], statusOf(t, h)["master"].(map[string]any)["link"])
	}
}
