package cluster

import (
	"fmt"
	"net"
	"strconv"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/store"
)

// node is this server under the address that clients use.
type node struct {
	id   string
	host string
	port int
}

// clusterPortOffset is the distance from a node's port to its cluster bus port, by the convention
// of Redis. This server has no bus.
const clusterPortOffset = 10000

// thisNode returns the node with the announced address. Without an announced address it uses the
// local address of this connection.
func thisNode(c *commands.Call) node {
	cfg := c.Server.Config()
	n := node{id: c.Server.Control.RunID(), port: cfg.Port}
	if a, ok := c.Conn.Link.Peer.LocalAddr().(*net.TCPAddr); ok {
		n.host, n.port = a.IP.String(), a.Port
	}
	if ip, ok := cfg.Get("cluster-announce-ip"); ok && ip != "" {
		n.host = ip
	}
	if port, ok := cfg.Get("cluster-announce-port"); ok && port != "" && port != "0" {
		n.port, _ = strconv.Atoi(port)
	}
	return n
}

func clusterMyID(c *commands.Call) error {
	c.Out.BulkString(c.Server.Control.RunID())
	return nil
}

func clusterInfo(c *commands.Call) error {
	c.Out.Verbatim("txt", fmt.Sprintf("cluster_state:ok\r\ncluster_slots_assigned:%[1]d\r\ncluster_slots_ok:%[1]d\r\n"+
		"cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:1\r\ncluster_size:1\r\n"+
		"cluster_current_epoch:0\r\ncluster_my_epoch:0\r\ncluster_stats_messages_sent:0\r\n"+
		"cluster_stats_messages_received:0\r\ntotal_cluster_links_buffer_limit_exceeded:0\r\n", store.Slots))
	return nil
}

func clusterNodes(c *commands.Call) error {
	n := thisNode(c)
	c.Out.Verbatim("txt", fmt.Sprintf("%s %s:%d@%d myself,master - 0 0 0 connected 0-%d\n",
		n.id, n.host, n.port, n.port+clusterPortOffset, store.Slots-1))
	return nil
}

func clusterSlots(c *commands.Call) error {
	n, w := thisNode(c), c.Out
	w.Array(1)
	w.Array(3)
	w.Int(0)
	w.Int(store.Slots - 1)
	w.Array(4)
	w.BulkString(n.host)
	w.Int(int64(n.port))
	w.BulkString(n.id)
	w.Map(0)
	return nil
}

func clusterShards(c *commands.Call) error {
	n, w := thisNode(c), c.Out
	w.Array(1)
	w.Map(2)
	w.BulkString("slots")
	w.Array(2)
	w.Int(0)
	w.Int(store.Slots - 1)
	w.BulkString("nodes")
	w.Array(1)
	n.describe(w)
	return nil
}

func (n node) describe(w *resp.Writer) {
	w.Map(7)
	commands.Field(w, "id", n.id)
	commands.Number(w, "port", int64(n.port))
	commands.Field(w, "ip", n.host)
	commands.Field(w, "endpoint", n.host)
	commands.Field(w, "role", "master")
	commands.Number(w, "replication-offset", 0)
	commands.Field(w, "health", "online")
}

func clusterLinks(c *commands.Call) error {
	c.Out.Array(0)
	return nil
}

// clusterReplicas lists the replicas of a node. This server has no replicas.
func clusterReplicas(c *commands.Call) error {
	if id := string(c.Args[2]); id != c.Server.Control.RunID() {
		return commands.Error("ERR Unknown node " + id)
	}
	c.Out.Array(0)
	return nil
}
