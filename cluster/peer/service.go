package peer

import (
	"context"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// Service is the node behind a Port. The port calls it from many goroutines at once. A method that has a
// context ends soon after the context does. The text of an error is sent to the caller, which must act on
// it: it is a sentence.
type Service interface {
	// Hello says who this node is. The argument is what the asker says about itself.
	Hello(asker Hello) Hello
	// Join adds a node to the cluster, or lets it vote. Only the leader can: others return a NotLeaderError.
	Join(ctx context.Context, j Join) (Joined, error)
	// Forget removes a node from the cluster. Only the leader can remove a node.
	Forget(ctx context.Context, id string) error
	// Failover makes a node the leader. Only the present leader can do this.
	Failover(ctx context.Context, id string) error
	// Invite asks this node to join a cluster. It returns an error if this node is in a cluster already.
	Invite(ctx context.Context, i Invite) error
	// State says how the cluster is.
	State() *roster.State
	// Publish gives a message to the subscribers of this node: those of the shard, or the others. It must not
	// wait for them, and must not keep the bytes.
	Publish(shard bool, channel, message []byte)
	// KeepScript keeps the text of a script. It must not wait, and must not keep the bytes.
	KeepScript(text []byte)
}

// Scripts returns the scripts that all nodes are to know, if they came after the one of a number. It returns
// the number of the last one, too.
type Scripts func(after int64) (texts [][]byte, last int64)

// Ports are further ports for clients, as announced; 0 for none.
type Ports struct {
	TLSPort  int            `json:"tls,omitempty"`     // for clients that speak TLS
	Sentinel topology.Ports `json:"sentinel,omitzero"` // for clients in Sentinel mode
}

// Hello is who a node is.
type Hello struct {
	roster.Standing
	Ports
	Feature int    `json:"feature"`           // the highest level that its release can work at
	Release string `json:"release,omitempty"` // for people
	Client  string `json:"client,omitempty"`  // host:port for clients, as announced
	Peer    string `json:"peer,omitempty"`    // host:port of the peer port, as announced
	Zone    string `json:"zone,omitempty"`    // availability zone of the node
	Leader  Leader `json:"leader"`            // as far as the node knows
	Applied uint64 `json:"applied"`           // index of the last entry that it has applied
	Timing
	Fault string `json:"fault,omitempty"` // why it cannot write its disk; a sentence
	Gone  bool   `json:"gone,omitempty"`  // the cluster has removed the node that asks
}

// Timing is what all nodes should have in common.
type Timing struct {
	Time    int64 `json:"time"`              // the clock, in Unix nanoseconds
	Timeout int64 `json:"timeout,omitempty"` // cluster-node-timeout in milliseconds; 0: not known
}

// Leader is who leads. The zero value means that no leader is known.
type Leader struct {
	ID   string `json:"id,omitempty"`
	Peer string `json:"peer,omitempty"` // host:port of the peer port
}

// Join is the request of a node to become a member.
type Join struct {
	Cluster string        `json:"cluster"` // that the node knows; the leader refuses another one
	Node    topology.Node `json:"node"`
	Feature int           `json:"feature"`
	Vote    bool          `json:"vote"` // false: send me the log; true: I have it, let me vote
}

// Joined is the answer of the leader.
type Joined struct {
	Voter  bool   `json:"voter"`          // the node votes now
	Commit uint64 `json:"commit"`         // ask for a vote once this entry is applied
	Gone   bool   `json:"gone,omitempty"` // the cluster has removed the node that asks
}

// Invite names a cluster to a node that is in no cluster.
type Invite struct {
	Cluster   string   `json:"cluster"`
	Addresses []string `json:"addresses"` // of its members, as cluster-nodes has them
}

// named is the body of the calls Forget and Failover.
type named struct {
	ID string `json:"id"`
}

// A NotLeaderError means that only the leader can do what was asked.
type NotLeaderError struct {
	Leader string // its peer address; "" if none is known
}

// Error says where the leader is.
func (e *NotLeaderError) Error() string {
	if e.Leader == "" {
		return "the cluster has no leader at present"
	}
	return "only the leader can do this, which is " + e.Leader
}
