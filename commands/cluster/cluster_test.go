package cluster

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClusterDisabled(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLUSTER INFO", errNoCluster)
	h.Want("CLUSTER KEYSLOT foo", errNoCluster)
	h.Want("READONLY", errNoCluster)
	h.Want("READWRITE", errNoCluster)
	h.Want("ASKING", errNoCluster)
	h.Want("CLUSTER", commands.WrongArity("cluster").(commands.Error))
	h.Want("CLUSTER KEYSLOT", commands.WrongArity("cluster|keyslot").(commands.Error))
	h.Want("CLUSTER FOO", commands.Error("ERR unknown subcommand 'FOO'. Try CLUSTER HELP."))
}

func TestClusterOneNode(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes", "--cluster-announce-ip", "10.1.2.3", "--cluster-announce-port", "7000")
	h.Want("CLUSTER KEYSLOT foo", 12182)
	h.Want("CLUSTER KEYSLOT {foo}bar", 12182)
	h.Want("CLUSTER MYID", servertest.RunID)
	h.Want("CLUSTER LINKS", []any{})
	h.Want("CLUSTER COUNT-FAILURE-REPORTS "+servertest.RunID, 0)
	h.Want("READONLY", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " flags=r ")
	h.Want("READWRITE", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " flags=N ")
	h.Want("ASKING", ok)
	require.Contains(t, h.Do("CLUSTER INFO"), "cluster_state:ok\r\ncluster_slots_assigned:16384\r\n")
	require.Regexp(t, ` 10\.1\.2\.3:7000@17000 myself,master - 0 0 0 connected 0-16383\n$`, h.Do("CLUSTER NODES"))
	slots := h.Do("CLUSTER SLOTS").([]any)[0].([]any)
	require.Equal(t, []any{int64(0), int64(16383)}, slots[:2])
	require.Equal(t, "10.1.2.3", slots[2].([]any)[0])
	require.Equal(t, int64(7000), slots[2].([]any)[1])
	require.Equal(t, servertest.RunID, slots[2].([]any)[2])
	for _, command := range []string{"CLUSTER REPLICAS ", "CLUSTER SLAVES "} {
		h.Want(command+"nobody", commands.Error("ERR Unknown node nobody"))
		require.Empty(t, h.Do(command+servertest.RunID))
	}
	h.Do("HELLO 3")
	metadata := h.Do("CLUSTER SLOTS").([]any)[0].([]any)[2].([]any)[3]
	require.Equal(t, resptest.Map{}, metadata)
	shard := h.Do("CLUSTER SHARDS").([]any)[0].(resptest.Map)
	require.Len(t, shard, 2)
}

func TestAnnouncedNames(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes", "--cluster-announce-ip", "10.1.2.3", "--cluster-announce-hostname", "limits.example",
		"--cluster-announce-bus-port", "7001")
	require.Regexp(t, ` limits\.example:6379@7001 myself,master - 0 0 0 connected 0-16383\n$`, h.Do("CLUSTER NODES"))
}

func TestClusterKeysInSlot(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	for _, k := range []string{"{foo}1", "{foo}2", "{foo}3", "foo"} {
		h.Want("INCR "+k, 1)
	}
	h.Want("INCR bar", 1)
	h.Want("CLUSTER COUNTKEYSINSLOT 12182", 4)
	h.Want("CLUSTER COUNTKEYSINSLOT 12183", 0)
	require.Len(t, h.Do("CLUSTER GETKEYSINSLOT 12182 3"), 3)
	require.ElementsMatch(t, []any{"{foo}1", "{foo}2", "{foo}3", "foo"}, h.Do("CLUSTER GETKEYSINSLOT 12182 100"))
	h.Want("CLUSTER COUNTKEYSINSLOT 16384", errInvalidSlot)
	h.Want("CLUSTER COUNTKEYSINSLOT -1", errInvalidSlot)
	h.Want("CLUSTER COUNTKEYSINSLOT x", commands.ErrNotInteger)
	h.Want("CLUSTER GETKEYSINSLOT 1 -1", errInvalidSlotCount)
	h.Want("CLUSTER GETKEYSINSLOT 16384 1", errInvalidSlotCount)
}

func TestCrossSlot(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	h.Want("WATCH a b", commands.ErrCrossSlot)
	h.Want("WATCH {a}1 {a}2", ok)
	h.Want("MULTI", ok)
	h.Want("INCR {a}1", resptest.Simple("QUEUED"))
	h.Want("INCR b", resptest.Simple("QUEUED"))
	h.Want("EXEC", commands.ErrCrossSlot)
	h.Want("EXEC", commands.Error("ERR EXEC without MULTI"))
	h.Want("GET {a}1", nil)
	h.Want("CL.THROTTLE {a}1 3 60 60", []any{0, 4, 3, -1, 1})
}
