package cluster

import (
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/store"
)

// clusterInfo replies with the state of the cluster. The epoch is the term of the leader.
func clusterInfo(c *commands.Call) error {
	v := viewOf(c)
	state, assigned, unreached, term := "ok", store.Slots, 0, uint64(0)
	if v.State != topology.OK {
		state = "fail"
	}
	switch leader := v.LeaderOf(0); {
	case leader < 0:
		assigned = 0
	case !v.Nodes[leader].Healthy:
		unreached = store.Slots
	}
	leaders := 0
	for i := range v.Nodes {
		leaders += commands.Bit(leads(v, i))
	}
	for i := range v.Groups {
		term = max(term, v.Groups[i].Term)
	}
	c.Out.Verbatim("txt",
		fmt.Sprintf("cluster_state:%s\r\ncluster_slots_assigned:%d\r\ncluster_slots_ok:%d\r\n"+
			"cluster_slots_pfail:%d\r\ncluster_slots_fail:0\r\ncluster_known_nodes:%d\r\ncluster_size:%d\r\n"+
			"cluster_current_epoch:%[7]d\r\ncluster_my_epoch:%[7]d\r\ncluster_stats_messages_sent:0\r\n"+
			"cluster_stats_messages_received:0\r\ntotal_cluster_links_buffer_limit_exceeded:0\r\n",
			state, assigned, assigned-min(assigned, unreached), unreached, len(v.Nodes), leaders, term))
	return nil
}

// clusterNodes replies with a line for each node.
func clusterNodes(c *commands.Call) error {
	v := viewOf(c)
	var b strings.Builder
	for i := range v.Nodes {
		b.WriteString(describe(c, v, i) + "\n")
	}
	c.Out.Verbatim("txt", b.String())
	return nil
}

// describe returns the line of a node in CLUSTER NODES and CLUSTER REPLICAS:
//
//	<id> <host:port@port of nodes> <flags> <master> <ping> <pong> <epoch> <link> <slots> …
//
// A node that this node has not heard of has the flag "fail?" of Redis: other nodes may hear of it.
func describe(c *commands.Call, v *topology.View, i int) string {
	n := &v.Nodes[i]
	flags, master, link, term := "slave", "-", "connected", uint64(0)
	if len(v.Groups) > 0 {
		term = v.Groups[0].Term
	}
	if leads(v, i) {
		flags = "master"
	} else if leader := v.LeaderOf(0); leader >= 0 {
		master = v.Nodes[leader].ID
	}
	if i == v.Self {
		flags = "myself," + flags
	} else if !n.Healthy {
		flags, link = flags+",fail?", "disconnected"
	}
	return fmt.Sprintf("%s %s:%d@%d %s %s 0 0 %d %s%s",
		n.ID, n.Host, portFor(c, n), n.PeerPort, flags, master, term, link, ranges(v, i))
}

// ranges returns the slots that a node leads, each range with a space before it.
func ranges(v *topology.View, node int) (all string) {
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Leader == node {
			all += fmt.Sprintf(" %d-%d", g.First, g.Last)
		}
	}
	return all
}

// clusterReplicas lists the nodes that follow a leader.
func clusterReplicas(c *commands.Call) error {
	v := viewOf(c)
	i := v.Find(string(c.Args[2]))
	switch {
	case i < 0:
		return errUnknownNode(c.Args[2])
	case !leads(v, i):
		return errNotMaster
	}
	var lines []string
	if v.LeaderOf(0) == i {
		for _, r := range v.Groups[0].Replicas {
			if !leads(v, r) {
				lines = append(lines, describe(c, v, r))
			}
		}
	}
	commands.StringArray(c.Out, lines)
	return nil
}

const errNotMaster commands.Error = "ERR The specified node is not a master"

// clusterFailureReports replies 1 if this node has not heard of a node within the node timeout, else 0.
func clusterFailureReports(c *commands.Call) error {
	v := viewOf(c)
	i := v.Find(string(c.Args[2]))
	if i < 0 {
		return errUnknownNode(c.Args[2])
	}
	c.ReplyBit(!v.Nodes[i].Healthy)
	return nil
}

// clusterLinks lists the healthy other nodes. A node does not measure its links, so the numbers are 0.
func clusterLinks(c *commands.Call) error {
	v, w := viewOf(c), c.Out
	array, count := w.DeferArray(), 0
	for i := range v.Nodes {
		if i == v.Self || !v.Nodes[i].Healthy {
			continue
		}
		count++
		w.Map(6)
		commands.Field(w, "direction", "to")
		commands.Field(w, "node", v.Nodes[i].ID)
		commands.Number(w, "create-time", 0)
		commands.Field(w, "events", "rw")
		commands.Number(w, "send-buffer-allocated", 0)
		commands.Number(w, "send-buffer-used", 0)
	}
	w.SetArray(array, count)
	return nil
}
