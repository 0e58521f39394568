package cluster

import (
	"testing"

	"cellserver/internal/topology"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const (
	nodeA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	nodeB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	nodeC = "cccccccccccccccccccccccccccccccccccccccc"
)

// A state is a moment in the life of a cluster of three nodes, as node a sees it.
type state struct {
	name                        string
	change                      func(v *topology.View)
	nodes, slots, shards, links string // of CLUSTER NODES, SLOTS, SHARDS and LINKS
	info                        string // the first lines of CLUSTER INFO
}

const calmInfo = "cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:0\r\n" +
	"cluster_known_nodes:3\r\ncluster_size:1\r\ncluster_current_epoch:7\r\ncluster_my_epoch:7\r\n"

var states = []state{
	{
		name:   "calm",
		change: func(*topology.View) {},
		nodes: nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected\n" +
			nodeB + " 10.0.0.2:6379@16379 master - 0 0 7 connected 0-16383\n" +
			nodeC + " 10.0.0.3:6379@16379 slave " + nodeB + " 0 0 7 connected\n",
		slots:  "0-16383 b a c",
		shards: "0-16383 b master 40 online, a replica 42 online, c replica 40 online",
		links:  "b c",
		info:   calmInfo,
	},
	{
		name: "node c is down",
		change: func(v *topology.View) {
			v.Nodes[2].Healthy = false
		},
		nodes: nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected\n" +
			nodeB + " 10.0.0.2:6379@16379 master - 0 0 7 connected 0-16383\n" +
			nodeC + " 10.0.0.3:6379@16379 slave,fail? " + nodeB + " 0 0 7 disconnected\n",
		slots:  "0-16383 b a",
		shards: "0-16383 b master 40 online, a replica 42 online, c replica 40 fail",
		links:  "b",
		info:   calmInfo,
	},
	{
		name: "node c joins, and does not vote yet",
		change: func(v *topology.View) {
			v.Nodes[2].Voter = false
		},
		nodes: nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected\n" +
			nodeB + " 10.0.0.2:6379@16379 master - 0 0 7 connected 0-16383\n" +
			nodeC + " 10.0.0.3:6379@16379 slave " + nodeB + " 0 0 7 connected\n",
		slots:  "0-16383 b a",
		shards: "0-16383 b master 40 online, a replica 42 online, c replica 40 loading",
		links:  "b c",
		info:   calmInfo,
	},
	{
		name: "an election: the last leader stays",
		change: func(v *topology.View) {
			v.State, v.Nodes[1].Healthy = topology.Down, false
		},
		nodes: nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected\n" +
			nodeB + " 10.0.0.2:6379@16379 master,fail? - 0 0 7 disconnected 0-16383\n" +
			nodeC + " 10.0.0.3:6379@16379 slave " + nodeB + " 0 0 7 connected\n",
		slots:  "0-16383 b a c",
		shards: "0-16383 b master 40 fail, a replica 42 online, c replica 40 online",
		links:  "c",
		info: "cluster_state:fail\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:0\r\ncluster_slots_pfail:16384\r\ncluster_slots_fail:0\r\n" +
			"cluster_known_nodes:3\r\ncluster_size:1\r\ncluster_current_epoch:7\r\ncluster_my_epoch:7\r\n",
	},
	{
		name: "two groups",
		change: func(v *topology.View) {
			v.Groups = []topology.Group{
				{First: 0, Last: 8191, Leader: 1, Replicas: []int{0, 2}, Term: 7, Applied: 42},
				{First: 8192, Last: 16383, Leader: 2, Replicas: []int{0, 1}, Term: 8, Applied: 42},
			}
		},
		nodes: nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected\n" +
			nodeB + " 10.0.0.2:6379@16379 master - 0 0 7 connected 0-8191\n" +
			nodeC + " 10.0.0.3:6379@16379 master - 0 0 7 connected 8192-16383\n",
		slots:  "0-8191 b a c; 8192-16383 c a b",
		shards: "0-8191 b master 40 online, a replica 42 online, c replica 40 online; 8192-16383 c master 40 online, a replica 42 online, b replica 40 online",
		links:  "b c",
		info: "cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\ncluster_slots_pfail:0\r\ncluster_slots_fail:0\r\n" +
			"cluster_known_nodes:3\r\ncluster_size:2\r\ncluster_current_epoch:8\r\ncluster_my_epoch:8\r\n",
	},
}

func TestStatesOfACluster(t *testing.T) {
	for _, s := range states {
		for _, proto := range []string{"2", "3"} {
			t.Run(s.name+"/RESP"+proto, func(t *testing.T) {
				h, cluster := servertest.NewMember(t, 0, 1)
				s.change(cluster.Now)
				h.Do("HELLO " + proto)
				require.Equal(t, s.nodes, text(h.Do("CLUSTER NODES")))
				require.Equal(t, s.slots, shownSlots(t, h.Do("CLUSTER SLOTS")))
				require.Equal(t, s.shards, shownShards(t, h.Do("CLUSTER SHARDS")))
				require.Equal(t, s.links, shownLinks(h.Do("CLUSTER LINKS")))
				require.Contains(t, text(h.Do("CLUSTER INFO")), s.info)
				h.Want("CLUSTER MYID", nodeA)
			})
		}
	}
}

// A node that has just started knows the other nodes, and not who leads.
func TestNobodyHasLedYet(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Now.State = topology.Down
	cluster.Now.Groups[0] = topology.Group{Last: 16383, Leader: -1, Replicas: []int{0, 1, 2}}
	for _, command := range []string{"CLUSTER NODES", "CLUSTER SLOTS", "CLUSTER SHARDS"} {
		h.Want(command, errNoLeaderYet)
	}
	require.Equal(t, "b c", shownLinks(h.Do("CLUSTER LINKS")))
	require.Contains(t, text(h.Do("CLUSTER INFO")), "cluster_state:fail\r\ncluster_slots_assigned:0\r\ncluster_slots_ok:0\r\n"+
		"cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:3\r\ncluster_size:0\r\n")
	h.Want("CLUSTER MYID", nodeA)
	cluster.Now.Groups[0] = topology.Group{Last: 16383, Leader: 1, Replicas: []int{0, 2}}
	require.Equal(t, "0-16383 b a c", shownSlots(t, h.Do("CLUSTER SLOTS")))
}

// text returns the text of a bulk string or of a verbatim string.
func text(reply any) string {
	if v, ok := reply.(resptest.Verbatim); ok {
		return v.Text
	}
	return reply.(string)
}

func TestReplicas(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Now.Nodes[2].Healthy = false
	for _, command := range []string{"CLUSTER REPLICAS ", "CLUSTER SLAVES "} {
		h.Want(command+nodeB, []string{
			nodeA + " 10.0.0.1:6379@16379 myself,slave " + nodeB + " 0 0 7 connected",
			nodeC + " 10.0.0.3:6379@16379 slave,fail? " + nodeB + " 0 0 7 disconnected",
		})
		h.Want(command+nodeA, errNotMaster)
		h.Want(command+"nobody", errUnknownNode([]byte("nobody")))
	}
	h.Want("CLUSTER COUNT-FAILURE-REPORTS "+nodeC, 1)
	h.Want("CLUSTER COUNT-FAILURE-REPORTS "+nodeB, 0)
	h.Want("CLUSTER COUNT-FAILURE-REPORTS nobody", errUnknownNode([]byte("nobody")))
}
