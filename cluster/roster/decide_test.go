package roster

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

var (
	runA, runB, runC = strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	abc              = []string{"a:1", "b:1", "c:1"}
)

// list parses addresses.
func list(t *testing.T, texts ...string) []topology.Address {
	t.Helper()
	all, err := topology.ParseAddresses(texts)
	require.NoError(t, err)
	return all
}

// empty is what an empty node of a list answers at an address.
func empty(run, at string, nodes []string) Answer {
	return Answer{Standing: Standing{Run: run, Phase: Empty, Nodes: nodes, Found: at}}
}

// member is what a node of a cluster answers.
func member(run, cluster, leader string) Answer {
	return Answer{Standing: Standing{Run: run, ID: run, Phase: Member, Cluster: cluster, Nodes: abc}, Leader: leader}
}

func silent(reason string) Answer { return Answer{Error: reason} }

func TestDecide(t *testing.T) {
	founder := func(at int) string { l := list(t, abc...); return FounderID(l, l[at]) }
	founding := func(run string, at int) Answer {
		return Answer{Standing: Standing{Run: run, ID: founder(at), Phase: Founding, Nodes: abc}}
	}
	returning := func(run, cluster string) Answer {
		return Answer{Standing: Standing{Run: run, Phase: Returning, Cluster: cluster, Nodes: abc}}
	}
	everybody := map[string]Answer{"a:1": empty(runA, "a:1", abc), "b:1": empty(runB, "b:1", abc), "c:1": empty(runC, "c:1", abc)}
	but := func(changes map[string]Answer) map[string]Answer {
		all := map[string]Answer{}
		for at, answer := range everybody {
			all[at] = answer
		}
		for at, answer := range changes {
			all[at] = answer
		}
		return all
	}
	for name, c := range map[string]struct {
		self    Standing // of the node a:1; Run and Nodes are filled in
		nodes   []string // nil: abc
		invited []string
		answers map[string]Answer
		action  Action
		why     string
		via     []string
	}{
		"all are empty": {answers: everybody, action: Found,
			why: "the 3 nodes of cluster-nodes found a cluster: all of them are empty"},
		"a cluster of one": {nodes: []string{"a:1"}, answers: map[string]Answer{"a:1": empty(runA, "a:1", []string{"a:1"})}, action: Found,
			why: "this node founds a cluster of one node"},
		"one has founded already": {answers: but(map[string]Answer{"b:1": founding(runB, 1)}), action: Found,
			why: "the 3 nodes of cluster-nodes found a cluster: all of them are empty"},
		"one does not answer": {answers: but(map[string]Answer{"b:1": silent("connection refused")}), action: Wait,
			why: "waiting for b:1@10001 (connection refused): a cluster forms when all of cluster-nodes answer. Start them, and let them reach each other"},
		"two do not answer": {answers: map[string]Answer{"a:1": empty(runA, "a:1", abc), "c:1": silent("timeout")}, action: Wait,
			why: "waiting for b:1@10001 (not asked yet), c:1@10001 (timeout): a cluster forms when all of cluster-nodes answer. Start them, and let them reach each other"},
		"one is in a cluster": {answers: but(map[string]Answer{"c:1": member(runC, "X", "")}), action: Enter,
			why: `this node joins the cluster "X", which c:1 belongs to`, via: []string{"c:10001"}},
		"one is in a cluster, and another one is silent": {answers: but(map[string]Answer{"b:1": silent("timeout"), "c:1": member(runC, "X", "")}), action: Enter,
			why: `this node joins the cluster "X", which c:1 belongs to`, via: []string{"c:10001"}},
		"the leader is asked first": {answers: but(map[string]Answer{"b:1": member(runB, "X", "c:10001"), "c:1": member(runC, "X", "c:10001")}), action: Enter,
			why: `this node joins the cluster "X", which b:1 belongs to`, via: []string{"c:10001", "b:10001"}},
		"the leader is not listed": {answers: but(map[string]Answer{"b:1": member(runB, "X", "d:7")}), action: Enter,
			why: `this node joins the cluster "X", which b:1 belongs to`, via: []string{"d:7", "b:10001"}},
		"two clusters": {answers: but(map[string]Answer{"b:1": member(runB, "X", ""), "c:1": member(runC, "Y", "")}), action: Refuse,
			why: `b:1 belongs to the cluster "X", and c:1 to the cluster "Y": list the nodes of one cluster in cluster-nodes`},
		"one has voted, without a cluster yet": {answers: but(map[string]Answer{"b:1": member(runB, "", "")}), action: Wait,
			why: "waiting for b:1: it has voted, and its cluster has no leader yet"},
		"another list": {answers: but(map[string]Answer{"b:1": empty(runB, "b:1", []string{"a:1", "b:1"})}), action: Refuse,
			why: `cluster-nodes is "a:1 b:1 c:1" here and "a:1 b:1" on b:1: give every node the same list`},
		"another list, and one is silent": {answers: but(map[string]Answer{"b:1": empty(runB, "b:1", []string{"a:1", "b:1"}), "c:1": silent("timeout")}), action: Refuse,
			why: `cluster-nodes is "a:1 b:1 c:1" here and "a:1 b:1" on b:1: give every node the same list`},
		"another list does not matter once there is a cluster": {nodes: []string{"a:1", "c:1"}, answers: map[string]Answer{"c:1": member(runC, "X", "")}, action: Enter,
			why: `this node joins the cluster "X", which c:1 belongs to`, via: []string{"c:10001"}},
		"founded with another list": {nodes: []string{"a:1", "b:1"},
			answers: map[string]Answer{"a:1": empty(runA, "a:1", []string{"a:1", "b:1"}), "b:1": founding(runB, 1)}, action: Refuse,
			why: `b:1 founded a cluster of other addresses than "a:1 b:1": give every node the same cluster-nodes, and empty the directory of a node that started with a wrong list`},
		"one node under two addresses": {answers: but(map[string]Answer{"c:1": empty(runB, "b:1", abc)}), action: Refuse,
			why: "cluster-nodes names one node twice, as b:1 and as c:1: remove one of them on every node"},
		"this node under two addresses": {answers: but(map[string]Answer{"b:1": empty(runA, "a:1", abc)}), action: Refuse,
			why: "cluster-nodes names one node twice, as a:1 and as b:1: remove one of them on every node"},
		"this node is not listed": {answers: but(map[string]Answer{"a:1": empty(strings.Repeat("d", 40), "a:1", abc)}), action: Wait,
			why: `waiting for a cluster of "a:1 b:1 c:1": no address of cluster-nodes reaches this node, so it joins and does not found`},
		"another node has not reached itself": {answers: but(map[string]Answer{"b:1": empty(runB, "", abc)}), action: Wait,
			why: "waiting for b:1: it has not reached itself at an address of cluster-nodes yet"},
		"an address means another node there": {answers: but(map[string]Answer{"b:1": empty(runB, "c:1", abc)}), action: Refuse,
			why: `b:1 reaches a node that calls itself "c:1": use addresses that mean the same node on every node`},
		"no list": {nodes: []string{}, action: Wait,
			why: "this node is in no cluster: list the nodes in cluster-nodes, or run CLUSTER MEET on a node of a cluster"},
		"invited": {nodes: []string{}, invited: []string{"c:1", "d:1"}, answers: map[string]Answer{"c:1": member(runC, "X", "d:10001")}, action: Enter,
			why: `this node joins the cluster "X", which c:1 belongs to`, via: []string{"d:10001", "c:10001"}},
		"invited, and the cluster is silent": {nodes: []string{}, invited: []string{"c:1"}, answers: map[string]Answer{"c:1": silent("timeout")}, action: Wait,
			why: "waiting for c:1@10001 (timeout): a cluster forms when all of cluster-nodes answer. Start them, and let them reach each other"},
		"the own disk": {self: Standing{Phase: Member, ID: "1", Cluster: "X"}, action: Resume,
			why: "this node goes on with its own disk"},
		"the own disk of a founder": {self: Standing{Phase: Founding, ID: "1"}, answers: but(map[string]Answer{"b:1": silent("timeout")}), action: Resume,
			why: "this node goes on with its own disk"},
		"a disk that may not vote": {self: Standing{Phase: Returning, Cluster: "X"}, answers: but(map[string]Answer{"b:1": member(runB, "X", "")}), action: Enter,
			why: `this node joins the cluster "X", which b:1 belongs to`, via: []string{"b:10001"}},
		"a disk that may not vote, of an unknown cluster": {self: Standing{Phase: Returning}, answers: everybody, action: Refuse, why: whyAllLost},
		"a disk of another cluster": {self: Standing{Phase: Returning, Cluster: "X"}, answers: but(map[string]Answer{"b:1": member(runB, "Y", "")}), action: Refuse,
			why: `b:1 belongs to the cluster "Y", and the directory of this node to another one: list the right nodes in cluster-nodes, or empty the directory to join b:1`},
		"no disk may vote": {self: Standing{Phase: Returning, Cluster: "X"}, answers: but(map[string]Answer{"b:1": returning(runB, "X"), "c:1": returning(runC, "X")}), action: Refuse,
			why: whyAllLost},
		"perhaps one disk may vote": {self: Standing{Phase: Returning, Cluster: "X"}, answers: but(map[string]Answer{"b:1": returning(runB, "X"), "c:1": silent("timeout")}), action: Wait,
			why: "waiting for c:1@10001 (timeout): a cluster forms when all of cluster-nodes answer. Start them, and let them reach each other"},
		"another node had a cluster": {answers: but(map[string]Answer{"b:1": returning(runB, "X")}), action: Wait,
			why: `waiting: b:1 was in the cluster "X" and may not vote: start the other nodes of that cluster`},
	} {
		t.Run(name, func(t *testing.T) {
			if c.nodes == nil {
				c.nodes = abc
			}
			if c.self.Phase == "" {
				c.self.Phase = Empty
			}
			c.self.Run, c.self.Nodes = runA, c.nodes
			d := Decide(Self{Standing: c.self, List: list(t, c.nodes...), Invited: list(t, c.invited...)}, c.answers)
			require.Equal(t, c.action, d.Action, d.Why)
			require.Equal(t, c.why, d.Why)
			require.Equal(t, c.via, d.Via)
			switch d.Action {
			case Found:
				require.Equal(t, "a:1", d.Found)
				founders := Founders(list(t, c.nodes...))
				require.Len(t, founders, len(c.nodes))
				require.Contains(t, founders, topology.Node{ID: d.ID, Host: "a", Port: 1, PeerPort: 10001})
			case Enter:
				require.Equal(t, "X", d.Cluster)
				require.Equal(t, runA, d.ID, "a new id for each run")
			}
		})
	}
}

// A node that has a new id already joins with it. An empty node does not keep the id of a founder.
func TestIDsOfNodesThatJoin(t *testing.T) {
	answers := map[string]Answer{"a:1": empty(runA, "a:1", abc), "b:1": member(runB, "X", ""), "c:1": silent("timeout")}
	for phase, want := range map[Phase]string{Returning: "new", Empty: runA} {
		d := Decide(Self{Standing: Standing{Run: runA, ID: "new", Phase: phase, Nodes: abc}, List: list(t, abc...)}, answers)
		require.Equal(t, Enter, d.Action, d.Why)
		require.Equal(t, want, d.ID)
	}
}

// All founders write the same voters.
func TestFoundersAgree(t *testing.T) {
	answers := map[string]Answer{"a:1": empty(runA, "a:1", abc), "b:1": empty(runB, "b:1", abc), "c:1": empty(runC, "c:1", abc)}
	ids := map[string]bool{}
	for _, run := range []string{runA, runB, runC} {
		d := Decide(Self{Standing: Standing{Run: run, Phase: Empty, Nodes: abc}, List: list(t, abc...)}, answers)
		require.Equal(t, Found, d.Action, d.Why)
		ids[d.ID] = true
	}
	var voters []string
	for _, k := range Founders(list(t, abc...)) {
		voters = append(voters, k.ID)
	}
	require.ElementsMatch(t, voters, slices.Collect(maps.Keys(ids)))
}

func TestReport(t *testing.T) {
	var r Report
	line := func(action Action, why string, now int64) bool {
		return r.Line(Decision{Action: action, Why: why}, now)
	}
	require.True(t, line(Wait, "b", 0))
	require.False(t, line(Wait, "b", 29_999))
	require.True(t, line(Wait, "b", 30_000))
	require.False(t, line(Wait, "c", 30_999), "reasons that change fast do not fill the log")
	require.True(t, line(Wait, "c", 31_000))
	require.True(t, line(Found, "all", 31_001), "only waiting is reported seldom")
	require.True(t, line(Refuse, "all", 31_002))
}
