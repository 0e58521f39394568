package cluster

import (
	"errors"
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestMeet(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	for line, reply := range map[string]any{
		"CLUSTER MEET 10.0.0.4 6379":     ok,
		"CLUSTER MEET node-4 6379 16379": ok,
		"CLUSTER MEET node-5 6379 0":     ok,
		"CLUSTER MEET FE80::1 6379":      ok,
		"CLUSTER MEET a b":               commands.Error("ERR Invalid TCP base port specified: b"),
		"CLUSTER MEET 10.0.0.4 99999": commands.Error("ERR Invalid node address specified: " +
			"10.0.0.4:99999"),
		"CLUSTER MEET 10.0.0.4 1 x":     commands.Error("ERR Invalid TCP bus port specified: x"),
		"CLUSTER MEET 10.0.0.4 1 70000": commands.Error("ERR Invalid node address specified: 10.0.0.4:1"),
		"CLUSTER MEET 10.0.0.4 1 -1":    commands.Error("ERR Invalid node address specified: 10.0.0.4:1"),
		"CLUSTER MEET 10.0.0.4 60000": commands.Error("ERR Invalid node address specified: 10.0.0.4:60000: " +
			"its port for nodes would be 70000: give that port as a third argument"),
		"CLUSTER MEET [::1] 7 8":            commands.Error("ERR Invalid node address specified: [::1]:7"),
		"CLUSTER MEET a@7 7":                commands.Error("ERR Invalid node address specified: a@7:7"),
		`CLUSTER MEET "a b" 7`:              commands.Error("ERR Invalid node address specified: a b:7"),
		"CLUSTER MEET 10.0.0.4 6379 17000":  ok,
		"CLUSTER MEET 10.0.0.4 60000 60001": ok,
		"CLUSTER MEET 10.0.0.4":             commands.WrongArity("cluster|meet").(commands.Error),
	} {
		h.Want(line, reply)
	}
	require.ElementsMatch(t, []string{"meet 10.0.0.4:6379", "meet node-4:6379", "meet node-5:6379",
		"meet [fe80::1]:6379",
		"meet 10.0.0.4:6379@17000", "meet 10.0.0.4:60000@60001"}, cluster.Calls)
}

func TestForget(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	h.Want("CLUSTER FORGET "+nodeC, ok)
	h.Want("CLUSTER FORGET "+nodeA, commands.Error("ERR I tried hard but I can't forget myself..."))
	h.Want("CLUSTER FORGET "+nodeB, commands.Error("ERR Can't forget my master!"))
	h.Want("CLUSTER FORGET nobody", errUnknownNode([]byte("nobody")).(commands.Error))
	require.Equal(t, []string{"forget " + nodeC}, cluster.Calls)
}

func TestFailover(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	h.Want("CLUSTER FAILOVER", ok)
	h.Want("CLUSTER FAILOVER force", ok)
	h.Want("CLUSTER FAILOVER TAKEOVER", commands.Error("ERR a majority of the nodes elects the leader, so no node can take over without it: use CLUSTER FAILOVER"))
	h.Want("CLUSTER FAILOVER now", commands.ErrSyntax)
	h.Want("CLUSTER FAILOVER force now", commands.Error("ERR unknown subcommand or wrong number of arguments for 'FAILOVER'. Try CLUSTER HELP."))
	require.Equal(t, []string{"failover", "failover"}, cluster.Calls)

	cluster.Epochs = []uint64{5}
	h.Want("CLUSTER FAILOVER", commands.Error("ERR You should send CLUSTER FAILOVER to a replica"))
}

func TestErrorsOfTheCluster(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Err = errors.New("node 10.0.0.4:6379 does not answer")
	h.Want("CLUSTER MEET 10.0.0.4 6379", commands.Error("ERR node 10.0.0.4:6379 does not answer"))
	cluster.Err = commands.Error("CLUSTERDOWN The cluster is down")
	h.Want("CLUSTER FAILOVER", commands.Error("CLUSTERDOWN The cluster is down"))
}

// TestMembersAndTransactions: these commands wait for other nodes, which EXEC must not do under its locks.
func TestMembersAndTransactions(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	for _, line := range []string{"CLUSTER MEET a 1", "CLUSTER FORGET " + nodeC, "CLUSTER FAILOVER"} {
		h.Want("MULTI", ok)
		h.Want(line, servertest.Queued)
		h.Want("EXEC", []any{commands.ErrNotInMulti})
	}
	require.Empty(t, cluster.Calls)
	for _, c := range memberCommands {
		require.NotZero(t, c.Flags&commands.NeverInline, "%s runs in the event loop", c.Name)
	}
}

func TestMembersAlone(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	h.Want("CLUSTER MEET a 1", errAlone)
	h.Want("CLUSTER FAILOVER", errAlone)
	h = servertest.New(t)
	h.Want("CLUSTER FORGET x", errNoCluster)
}
