package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestClusterDisabled(t *testing.T) {
	h := newHarness(t)
	h.want("CLUSTER INFO", errNoCluster)
	h.want("CLUSTER KEYSLOT foo", errNoCluster)
	h.want("READONLY", errNoCluster)
	h.want("READWRITE", errNoCluster)
	h.want("ASKING", errNoCluster)
	h.want("CLUSTER", wrongArity("cluster").(Error))
	h.want("CLUSTER KEYSLOT", wrongArity("cluster|keyslot").(Error))
	h.want("CLUSTER FOO", Error("ERR unknown subcommand 'FOO'. Try CLUSTER HELP."))
}

func TestClusterOneNode(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes", "--cluster-announce-ip", "10.1.2.3", "--cluster-announce-port", "7000")
	h.want("CLUSTER KEYSLOT foo", 12182)
	h.want("CLUSTER KEYSLOT {foo}bar", 12182)
	h.want("CLUSTER MYID", runID)
	h.want("CLUSTER LINKS", []any{})
	h.want("READONLY", ok)
	h.want("READWRITE", ok)
	h.want("ASKING", ok)
	require.Contains(t, h.do("CLUSTER INFO"), "cluster_state:ok\r\ncluster_slots_assigned:16384\r\n")
	require.Regexp(t, ` 10\.1\.2\.3:7000@17000 myself,master - 0 0 0 connected 0-16383\n$`, h.do("CLUSTER NODES"))
	slots := h.do("CLUSTER SLOTS").([]any)[0].([]any)
	require.Equal(t, []any{int64(0), int64(16383)}, slots[:2])
	require.Equal(t, "10.1.2.3", slots[2].([]any)[0])
	require.Equal(t, int64(7000), slots[2].([]any)[1])
	require.Equal(t, runID, slots[2].([]any)[2])
	for _, command := range []string{"CLUSTER REPLICAS ", "CLUSTER SLAVES "} {
		h.want(command+"nobody", Error("ERR Unknown node nobody"))
		require.Empty(t, h.do(command+runID))
	}
	h.do("HELLO 3")
	metadata := h.do("CLUSTER SLOTS").([]any)[0].([]any)[2].([]any)[3]
	require.Equal(t, resptest.Map{}, metadata)
	shard := h.do("CLUSTER SHARDS").([]any)[0].(resptest.Map)
	require.Len(t, shard, 2)
}

func TestClusterKeysInSlot(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes")
	for _, k := range []string{"{foo}1", "{foo}2", "{foo}3", "foo"} {
		h.want("INCR "+k, 1)
	}
	h.want("INCR bar", 1)
	h.want("CLUSTER COUNTKEYSINSLOT 12182", 4)
	h.want("CLUSTER COUNTKEYSINSLOT 12183", 0)
	require.Len(t, h.do("CLUSTER GETKEYSINSLOT 12182 3"), 3)
	require.ElementsMatch(t, []any{"{foo}1", "{foo}2", "{foo}3", "foo"}, h.do("CLUSTER GETKEYSINSLOT 12182 100"))
	h.want("CLUSTER COUNTKEYSINSLOT 16384", errInvalidSlot)
	h.want("CLUSTER COUNTKEYSINSLOT -1", errInvalidSlot)
	h.want("CLUSTER COUNTKEYSINSLOT x", errNotInteger)
	h.want("CLUSTER GETKEYSINSLOT 1 -1", errInvalidSlotCount)
	h.want("CLUSTER GETKEYSINSLOT 16384 1", errInvalidSlotCount)
}

func TestCrossSlot(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes")
	h.want("WATCH a b", errCrossSlot)
	h.want("WATCH {a}1 {a}2", ok)
	h.want("MULTI", ok)
	h.want("INCR {a}1", resptest.Simple("QUEUED"))
	h.want("INCR b", resptest.Simple("QUEUED"))
	h.want("EXEC", errCrossSlot)
	h.want("EXEC", errExecNoMulti)
	h.want("GET {a}1", nil)
	h.want("CL.THROTTLE {a}1 3 60 60", []any{0, 4, 3, -1, 1})
}
