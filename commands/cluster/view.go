package cluster

import (
	"cmp"
	"net"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/store"
)

// viewOf returns the cluster as this node sees it. A server that is alone is the only node, with all slots.
func viewOf(c *commands.Call) *topology.View {
	if t := c.Server.Control.Topology(); t != nil {
		return t.View()
	}
	return &topology.View{
		Nodes:  []topology.Node{aloneNode(c)},
		Groups: []topology.Group{{Last: store.Slots - 1}},
	}
}

// withLeader returns a command that shows which node serves the slots. It is an error on a node that has not
// heard of a leader since its start. Otherwise client libraries would believe that nobody serves the slots.
// After an error they ask another node.
func withLeader(run func(c *commands.Call) error) func(c *commands.Call) error {
	return func(c *commands.Call) error {
		if viewOf(c).LeaderOf(0) < 0 {
			return errNoLeaderYet
		}
		return run(c)
	}
}

const errNoLeaderYet commands.Error = "LOADING Redis is loading the dataset in memory"

// aloneNode returns a server that is alone, with the announced address. Without an announced address
// it uses the local address of this connection.
func aloneNode(c *commands.Call) topology.Node {
	cfg := c.Server.Config()
	n := topology.Node{ID: c.Server.Control.RunID(), Port: cfg.Port, TLSPort: cfg.TLSPort, Voter: true, Healthy: true}
	if a, ok := c.Conn.Link.Peer.LocalAddr().(*net.TCPAddr); ok {
		n.Host = a.IP.String()
		if c.Conn.Link.Peer.Encrypted() {
			n.TLSPort = a.Port
		} else {
			n.Port = a.Port
		}
	}
	if host := cfg.Cluster.AnnouncedHost(); host != "" {
		n.Host = host
	}
	n.TLSPort = cmp.Or(cfg.Cluster.AnnounceTLSPort, n.TLSPort)
	n.Port = cmp.Or(cfg.Cluster.AnnouncePort, n.Port, n.TLSPort)
	n.PeerPort = n.Port + topology.PeerOffset
	if port := cfg.Cluster.AnnounceBusPort; port != 0 {
		n.PeerPort = port
	}
	return n
}

// portFor returns the port of a node for cluster clients like the one that asks: with TLS or without.
func portFor(c *commands.Call, n *topology.Node) int {
	return n.ClientPort(topology.Door{TLS: c.Conn.Link.Peer.Encrypted()})
}

// errUnknownNode is the error of an id that no node of the cluster has.
func errUnknownNode(id []byte) error { return commands.Error("ERR Unknown node " + string(id)) }

// clusterMyID replies with the id of this node.
func clusterMyID(c *commands.Call) error {
	v := viewOf(c)
	c.Out.BulkString(v.Nodes[v.Self].ID)
	return nil
}

// leads reports whether a node leads a group.
func leads(v *topology.View, node int) bool {
	for i := range v.Groups {
		if v.Groups[i].Leader == node {
			return true
		}
	}
	return false
}

// serves reports whether clients may read on a node that follows: it has the data, and answers.
func serves(n *topology.Node) bool { return n.Voter && n.Healthy }

// leaderless reports whether the cluster has no leader that answers, as far as this node knows.
func leaderless(v *topology.View) bool {
	leader := v.LeaderOf(0)
	return v.State == topology.Down || leader < 0 || !v.Nodes[leader].Healthy
}
