package topology

import "slices"

// State says whether a node can serve commands on keys.
type State uint8

// The states of a node.
const (
	OK      State = iota // the cluster has a leader, and this node follows it or leads
	Down                 // no leader is known, for example during an election
	Joining              // this node does not have the data of the cluster yet
)

// View is the cluster at one moment. Nobody changes a View after it is made.
type View struct {
	Nodes  []Node  // all members, sorted by ID
	Self   int     // index of this node in Nodes
	Groups []Group // sorted by slot; together they own every slot
	State  State

	// Fresh is the monotonic time in nanoseconds up to which the keys of a node that follows are young enough
	// to read. It is 0 from the start of the node until it has caught up with the leader.
	Fresh int64
}

// Node is one member of the cluster.
type Node struct {
	ID       string // 40 hexadecimal digits
	Host     string // announced to clients
	Port     int    // of clients
	TLSPort  int    `json:",omitempty"` // of clients that speak TLS; 0 if there is none, or if it is unknown
	Sentinel Ports  `json:",omitzero"`  // of clients in Sentinel mode
	Unheard  bool   `json:",omitempty"` // it has not said its further ports to this node yet
	PeerPort int    // of other nodes
	Zone     string // availability zone of the node; may be empty
	Features int    // the highest feature level that it knows; 0 if it is unknown
	Voter    bool   // its vote counts for the quorum; false while it joins
	Healthy  bool   // this node has heard of it within the node timeout
	Applied  uint64 // index of the last log entry that the node has reported as applied; 0 if it has reported none
}

// Address returns where the others reach the node.
func (n *Node) Address() Address { return Address{n.Host, n.Port, n.PeerPort} }

// Ports are two ports of a node for the same clients; 0 for none.
type Ports struct {
	Plain int `json:"plain,omitempty"`
	TLS   int `json:"tls,omitempty"`
}

// Door is the way by which a client has come.
type Door struct {
	TLS   bool
	Whole bool // the client does not know slots: it came to proxy-port or to a port for Sentinel mode
}

// ClientPort returns the port for clients that come by a door. A node without a port for TLS, or for
// Sentinel mode, has its port for all clients.
func (n *Node) ClientPort(d Door) int {
	ports := Ports{n.Port, n.TLSPort}
	if d.Whole && n.Sentinel != (Ports{}) {
		ports = n.Sentinel
	}
	if d.TLS && ports.TLS != 0 || ports.Plain == 0 {
		return ports.TLS
	}
	return ports.Plain
}

// Group is a range of slots with one leader. A node that led stays its own Leader until all its
// changes are committed or taken back.
type Group struct {
	First, Last uint16 // slots, both inclusive
	Leader      int    // index in View.Nodes; -1 before the first election. During an election it is the last leader.
	Replicas    []int  // the other members, as indexes in View.Nodes
	Term        uint64 // of the leader
	Applied     uint64 // index of the last log entry that this node has applied
}

// LeaderOf returns the index of the leader of a slot in Nodes; -1 if none is known.
func (v *View) LeaderOf(slot uint16) int {
	for i := range v.Groups {
		if g := &v.Groups[i]; slot >= g.First && slot <= g.Last {
			return g.Leader
		}
	}
	return -1
}

// Leader returns the node that leads the first group, nil if no node is known to lead it now. A node that joins
// lacks keys: it does not lead, also if raft has elected it.
func (v *View) Leader() *Node {
	if i := v.LeaderOf(0); i >= 0 && v.State != Down && (i != v.Self || v.State == OK) {
		return &v.Nodes[i]
	}
	return nil
}

// Find returns the index of a node in Nodes, -1 if the cluster has no such node.
func (v *View) Find(id string) int {
	return slices.IndexFunc(v.Nodes, func(n Node) bool { return n.ID == id })
}

// Voters returns the number of nodes whose votes count.
func (v *View) Voters() int { return v.count(func(n *Node) bool { return n.Voter }) }

// Healthy returns the number of healthy nodes.
func (v *View) Healthy() int { return v.count(func(n *Node) bool { return n.Healthy }) }

// HealthyVoters returns the number of healthy nodes whose votes count.
func (v *View) HealthyVoters() int {
	return v.count(func(n *Node) bool { return n.Voter && n.Healthy })
}

func (v *View) count(is func(*Node) bool) (n int) {
	for i := range v.Nodes {
		if is(&v.Nodes[i]) {
			n++
		}
	}
	return n
}

// Applied returns the index of the last log entry that a node has applied, as far as this node knows.
func (v *View) Applied(node int) uint64 {
	if node == v.Self && len(v.Groups) > 0 {
		return v.Groups[0].Applied
	}
	return v.Nodes[node].Applied
}

// Follows reports whether this node follows a leader and gets its messages.
func (v *View) Follows() bool {
	leader := v.LeaderOf(0)
	return v.State == OK && leader >= 0 && leader != v.Self && v.Nodes[leader].Healthy
}

// Replicas returns the nodes that follow this node in the first group, as indexes in Nodes. It leaves out
// nodes that do not reply to this node.
func (v *View) Replicas() (healthy []int) {
	if v.LeaderOf(0) != v.Self {
		return nil
	}
	for _, r := range v.Groups[0].Replicas {
		if v.Nodes[r].Healthy {
			healthy = append(healthy, r)
		}
	}
	return healthy
}
