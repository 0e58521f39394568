package roster

import "cellserver/internal/topology"

// Phase is how far a node has got.
type Phase string

// The phases.
const (
	// Empty is a node that has no disk of a cluster.
	Empty Phase = "empty"
	// Founding is a node that wrote the voters of its list, and has seen no election since then.
	Founding Phase = "founding"
	// Member is a node with the disk of a cluster. It has seen an election, or it joined.
	Member Phase = "member"
	// Returning is a node whose disk may not vote any more, for example after a power cut. Its ID, if it has
	// one, is new.
	Returning Phase = "returning"
)

// Standing is what a node says about its place.
type Standing struct {
	Run     string   `json:"run"`               // a random number of 40 hexadecimal digits, new with each start
	ID      string   `json:"id,omitempty"`      // of the node; "" if it has no id yet
	Phase   Phase    `json:"phase"`             // how far it has got
	Cluster string   `json:"cluster,omitempty"` // id of its cluster; "" if it has not heard it yet
	Nodes   []string `json:"nodes,omitempty"`   // cluster-nodes, sorted
	Found   string   `json:"found,omitempty"`   // the element of Nodes at which it reached itself; "" if it has not reached itself yet
}

// Answer is what a node heard when it asked an address. If Error is set, Standing has no meaning.
type Answer struct {
	Standing
	Leader string // peer address of the leader, as the other node knows it; "" if none is known
	Error  string // why there is no answer, for example "connection refused"; "" if there is one
}

// Self is what a node knows about itself. List has the addresses of Standing.Nodes.
type Self struct {
	Standing
	List    []topology.Address
	Invited []topology.Address // addresses of a cluster that another node named; empty without an invitation
}

// Ask returns the addresses to ask for the next decision.
func (s *Self) Ask() []topology.Address {
	if s.Phase == Member || s.Phase == Founding {
		return nil
	}
	all := append([]topology.Address(nil), s.List...)
	for _, a := range s.Invited {
		if !contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

func contains(all []topology.Address, a topology.Address) bool {
	for _, other := range all {
		if other.Peer() == a.Peer() {
			return true
		}
	}
	return false
}
