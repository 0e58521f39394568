package server_test

import (
	"cmp"
	"fmt"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestMessagesOfOtherNodes(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	subscriber := h.NewClient(t)
	subscriber.Do("SUBSCRIBE news")
	h.Want("PUBLISH news hello", 1)
	h.Server.Deliver(false, []byte("news"), []byte("world"))
	require.Equal(t, []any{
		[]any{"message", "news", "hello"}, []any{"message", "news", "world"},
	}, subscriber.TakePushes())
	require.Equal(t, []string{"publish news hello"}, cluster.Calls, "a message of another node goes no further")
}

// TestChannelsOfShards: every node takes them, and their slots must be equal.
func TestChannelsOfShards(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	subscriber := h.NewClient(t)
	require.Equal(t, []any{[]any{"ssubscribe", "{a}1", int64(1)}, []any{"ssubscribe", "{a}2", int64(2)}},
		subscriber.All("SSUBSCRIBE {a}1 {a}2"))
	h.Want("SPUBLISH {a}1 hello", 1)
	h.Server.Deliver(true, []byte("{a}2"), []byte("world"))
	h.Server.Deliver(false, []byte("{a}2"), []byte("not for shards"))
	require.Equal(t, []any{
		[]any{"smessage", "{a}1", "hello"}, []any{"smessage", "{a}2", "world"},
	}, subscriber.TakePushes())
	require.Equal(t, []string{"spublish {a}1 hello"}, cluster.Calls)
	const crossSlot = resptest.Error("CROSSSLOT Keys in request don't hash to the same slot")
	for _, command := range []string{"SSUBSCRIBE a b", "SUNSUBSCRIBE a b"} {
		require.Equal(t, crossSlot, h.Do(command))
	}

	h, _ = servertest.NewMember(t, 0, 0)
	for _, queued := range [][]string{{"SPUBLISH a m", "SPUBLISH b m"}, {"SET a 1", "SPUBLISH b m"}} {
		h.Do("MULTI")
		for _, command := range queued {
			h.Do(command)
		}
		require.Equal(t, crossSlot, h.Do("EXEC"))
	}
}

// TestClientsWithoutSlots: a client that came by SENTINEL or by proxy-port sees a Redis with replicas.
func TestClientsWithoutSlots(t *testing.T) {
	leader, _ := servertest.NewMember(t, 0, 0)
	leader.Want("MSET a 1 b 2", resptest.Error("CROSSSLOT Keys in request don't hash to the same slot"))
	leader.State.Conn().Link.Whole = true
	leader.Want("MSET a 1 b 2", servertest.OK)
	leader.Want("EVAL 'return redis.call(\"mget\", \"a\", KEYS[1])' 1 b", []any{"1", "2"})
	leader.Want("EVAL '#!lua flags=no-cluster\nreturn redis.call(\"mget\", KEYS[1], KEYS[2])' 2 a b", []any{"1", "2"})
	leader.Do("CL.RULE SET r SCOPES org user LIMIT CL.WINDOW 10 60 LIMIT CL.WINDOW 5 60")
	require.NotContains(t, leader.Do("CL.CHECK r a b"), "CROSSSLOT")
	leader.Want("SELECT 1", servertest.OK)
	for _, command := range []string{"CLUSTER INFO", "CLUSTER SLOTS", "CLUSTER HELP", "CLUSTER KEYSLOT a", "CLUSTER FAILOVER", "CLUSTER RESET", "READONLY", "READWRITE", "ASKING"} {
		leader.Want(command, resptest.Error("ERR This instance has cluster support disabled"))
	}

	follower, cluster := servertest.NewMember(t, 0, 1)
	follower.State.Conn().Link.Whole = true
	const readOnly = resptest.Error("READONLY You can't write against a read only replica.")
	const masterDown = resptest.Error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.")
	all := map[string]any{"MGET a b": nil, "SET a 1": readOnly, "FLUSHALL": readOnly, "BLPOP l 0": readOnly, "DBSIZE": nil}
	for state, reads := range map[string]any{"fresh": nil, "old": masterDown, "led before": masterDown} {
		view := servertest.View(3, 0, 1)
		switch state {
		case "old":
			view.Fresh = 1
		case "led before":
			view = servertest.View(3, 0, 0)
		}
		cluster.Now = view
		for command, want := range all {
			if want == nil && reads == nil {
				require.NotContains(t, fmt.Sprint(follower.Do(command)), "MASTERDOWN", state+" "+command)
				continue
			}
			follower.Want(command, cmp.Or(want, reads))
		}
	}
}

func TestSwitchMaster(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 0, "--sentinel-master-name", "limits")
	subscriber := h.NewClient(t)
	subscriber.Do("SUBSCRIBE +switch-master")
	for _, story := range []struct {
		name    string
		old     int
		now     int
		message string
	}{
		{"the first leader", -1, 1, ""},
		{"no change", 1, 1, ""},
		{"another leader", 1, 2, "limits 10.0.0.2 6379 10.0.0.3 6379"},
		{"this node leads", 2, 0, "limits 10.0.0.3 6379 10.0.0.1 6379"},
		{"this node stops", 0, 1, "limits 10.0.0.1 6379 10.0.0.2 6379"},
	} {
		h.Server.ViewChanged(servertest.View(3, 0, story.old), servertest.View(3, 0, story.now))
		var want []any
		if story.message != "" {
			want = []any{[]any{"message", "+switch-master", story.message}}
		}
		require.Equal(t, want, subscriber.TakePushes(), story.name)
	}
	old, now := servertest.View(3, 0, 1), servertest.View(3, 0, 1)
	now.Nodes[1].Port = 7000
	h.Server.ViewChanged(old, now)
	require.Equal(t, []any{[]any{"message", "+switch-master", "limits 10.0.0.2 6379 10.0.0.2 7000"}}, subscriber.TakePushes(), "the leader has another address")
}

// TestSwitchMasterForTLS: each client learns the port that it can use, and learns nothing if that port stays.
func TestSwitchMasterForTLS(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 0)
	plain, encrypted := h.NewClient(t), h.NewClient(t)
	encrypted.TLS = true
	plain.Do("PSUBSCRIBE +switch*")
	encrypted.Do("SUBSCRIBE +switch-master")
	old, now := servertest.View(3, 0, 1), servertest.View(3, 0, 2)
	old.Nodes[1].TLSPort = 6380
	now.Nodes[2].TLSPort = 6390
	h.Server.ViewChanged(old, now)
	require.Equal(t, []any{[]any{"pmessage", "+switch*", "+switch-master", "mymaster 10.0.0.2 6379 10.0.0.3 6379"}}, plain.TakePushes())
	require.Equal(t, []any{[]any{"message", "+switch-master", "mymaster 10.0.0.2 6380 10.0.0.3 6390"}}, encrypted.TakePushes())

	next := servertest.View(3, 0, 2)
	next.Nodes[2].TLSPort = 6391
	h.Server.ViewChanged(now, next)
	require.Empty(t, plain.TakePushes())
	require.Equal(t, []any{[]any{"message", "+switch-master", "mymaster 10.0.0.3 6390 10.0.0.3 6391"}}, encrypted.TakePushes())
}

// TestClientsLeaveAFormerLeader: only clients that may believe that the node leads lose their connection.
func TestClientsLeaveAFormerLeader(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 0)
	reader, monitor, subscriber := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	reader.Want("READONLY", ok)
	monitor.Want("MONITOR", ok)
	subscriber.Do("SUBSCRIBE news")
	h.Server.ViewChanged(servertest.View(3, 0, 1), servertest.View(3, 0, 2))
	h.Server.ViewChanged(servertest.View(3, 0, 2), servertest.View(3, 0, 0))
	require.False(t, h.Closed)
	h.Server.ViewChanged(servertest.View(3, 0, 0), servertest.View(3, 0, 2))
	require.True(t, h.Closed)
	require.False(t, reader.Closed || monitor.Closed || subscriber.Closed)
}

// TestClientsWithoutSlotsLeaveAnEpoch: a client that came by SENTINEL is to ask again who leads when the epoch ends, also if
// no other node leads yet. Cluster clients try again by themselves.
func TestClientsWithoutSlotsLeaveAnEpoch(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 0)
	whole, subscriber := h.NewClient(t), h.NewClient(t)
	whole.State.Conn().Link.Whole, subscriber.State.Conn().Link.Whole = true, true
	whole.Want("GET a", nil)
	subscriber.Do("SUBSCRIBE news")
	h.Server.EpochChanged(true)
	require.False(t, whole.Closed)
	h.Server.EpochChanged(false)
	require.True(t, whole.Closed)
	require.False(t, h.Closed || subscriber.Closed)
}

func TestKeysReplaced(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 0)
	h.Do("HELLO 3")
	h.Want("CLIENT TRACKING ON", ok)
	h.Want("GET a", nil)
	h.Server.KeysReplaced()
	require.Equal(t, []any{resptest.Push{"invalidate", resptest.Nil3}}, h.TakePushes())
}
