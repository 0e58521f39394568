package cluster

import (
	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/resp"
)

// clusterSlots replies with the ranges of slots: the leader of each one, and then the replicas that serve
// reads. There is never a hole: during an election the last leader stays, and before the first one see
// withLeader.
func clusterSlots(c *commands.Call) error {
	v, w := viewOf(c), c.Out
	array, count := w.DeferArray(), 0
	for i := range v.Groups {
		g := &v.Groups[i]
		if g.Leader < 0 {
			continue // nobody has ever led
		}
		count++
		nodes := members(v, g, serves)
		w.Array(2 + len(nodes))
		w.Int(int64(g.First))
		w.Int(int64(g.Last))
		for _, n := range nodes {
			endpoint(c, &v.Nodes[n])
		}
	}
	w.SetArray(array, count)
	return nil
}

// members returns the leader of a group and the replicas that wanted accepts.
func members(v *topology.View, g *topology.Group, wanted func(*topology.Node) bool) (nodes []int) {
	if g.Leader >= 0 {
		nodes = append(nodes, g.Leader)
	}
	for _, r := range g.Replicas {
		if wanted(&v.Nodes[r]) {
			nodes = append(nodes, r)
		}
	}
	return nodes
}

// endpoint writes the address of a node, its id, and an empty map of further facts.
func endpoint(c *commands.Call, n *topology.Node) {
	w := c.Out
	w.Array(4)
	w.BulkString(n.Host)
	w.Int(int64(portFor(c, n)))
	w.BulkString(n.ID)
	w.Map(0)
}

// clusterShards replies with the groups: their slots and all their nodes.
func clusterShards(c *commands.Call) error {
	v, w := viewOf(c), c.Out
	w.Array(len(v.Groups))
	for i := range v.Groups {
		g := &v.Groups[i]
		nodes := members(v, g, func(*topology.Node) bool { return true })
		w.Map(2)
		w.BulkString("slots")
		w.Array(2)
		w.Int(int64(g.First))
		w.Int(int64(g.Last))
		w.BulkString("nodes")
		w.Array(len(nodes))
		for _, n := range nodes {
			shardNode(w, v, g, n)
		}
	}
	return nil
}

// shardNode writes the facts about a node of a group. Every client gets both ports.
func shardNode(w *resp.Writer, v *topology.View, g *topology.Group, node int) {
	n, role := &v.Nodes[node], "replica"
	if node == g.Leader {
		role = "master"
	}
	plain, encrypted := n.Port != n.TLSPort, n.TLSPort != 0
	w.Map(6 + commands.Bit(plain) + commands.Bit(encrypted))
	commands.Field(w, "id", n.ID)
	if plain {
		commands.Number(w, "port", int64(n.Port))
	}
	if encrypted {
		commands.Number(w, "tls-port", int64(n.TLSPort))
	}
	commands.Field(w, "ip", n.Host)
	commands.Field(w, "endpoint", n.Host)
	commands.Field(w, "role", role)
	commands.Number(w, "replication-offset", int64(v.Applied(node)))
	commands.Field(w, "health", health(n))
}

// health returns the health of a node in the words of CLUSTER SHARDS.
func health(n *topology.Node) string {
	switch {
	case !n.Healthy:
		return "fail"
	case !n.Voter:
		return "loading"
	}
	return "online"
}
