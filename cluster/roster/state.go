package roster

// State is what one node knows about its cluster. Durations are in milliseconds.
type State struct {
	Self    string `json:"self"`              // id of the node that answers
	Cluster string `json:"cluster,omitempty"` // "" if it is in no cluster
	Waiting string `json:"waiting,omitempty"` // why it is in no cluster yet; a sentence
	Joining bool   `json:"joining,omitempty"` // it does not have the data yet
	Fault   string `json:"fault,omitempty"`   // why it cannot write its disk; a sentence

	Leader  string  `json:"leader,omitempty"` // id; "" if none is known
	Term    uint64  `json:"term"`
	Since   int64   `json:"since_ms"` // how long there has been this leader, or none
	Commit  uint64  `json:"commit"`   // index of the last committed entry
	Applied uint64  `json:"applied"`  // index of the last entry that Self has applied
	MaxSkew int64   `json:"max_skew_ms"`
	Feature int     `json:"feature"`         // level at which the cluster works
	Dropped uint64  `json:"dropped"`         // published messages that did not reach another node
	Log     int64   `json:"log_bytes"`       // of the log on the disk of Self
	Stuck   bool    `json:"stuck,omitempty"` // the last snapshot of the log could not be written, so the log grows
	Numbers Numbers `json:"numbers"`

	Nodes []NodeState `json:"nodes"` // sorted by address
}

// Numbers are what the node that answers has counted since its start.
type Numbers struct {
	Lag     int64 `json:"lag_bytes"` // changes that wait for a majority
	Commits int64 `json:"commits"`
	Half    int64 `json:"p50_us"` // median of the duration of a commit, in microseconds
	Most    int64 `json:"p99_us"` // 99th percentile of the duration of a commit
	Epochs  int64 `json:"epoch_changes"`
	Undone  int64 `json:"undone"`       // changes that were taken back
	Misses  int64 `json:"lease_misses"` // replies that waited because there was no lease
}

// NodeState is one member, as the node that answers knows it.
type NodeState struct {
	ID      string `json:"id"`
	Address string `json:"address"` // for clients
	Zone    string `json:"zone,omitempty"`
	Voter   bool   `json:"voter"`
	Leaving bool   `json:"leaving,omitempty"` // it is marked as removed, and still takes part
	Silence
	Known bool `json:"known"` // Applied and Skew are known; a leader knows them for all nodes
	Progress
	Timing
	Feature int    `json:"feature"`           // that its release can work at
	Release string `json:"release,omitempty"` // such as "1.4.0"
	Fault   string `json:"fault,omitempty"`   // why it cannot write its disk; a sentence
}

// Silence says that a node does not answer.
type Silence struct {
	Silent int64  `json:"silent_ms"`            // since it last answered; 0 if it answers
	Why    string `json:"silent_why,omitempty"` // the error of the last question
}

// Progress is how far a node has come.
type Progress struct {
	Applied uint64 `json:"applied"`         // index of the last entry that it has applied
	Stuck   bool   `json:"stuck,omitempty"` // it lacks entries, and for a second no entry came
}

// Timing is what a node should have in common with the others.
type Timing struct {
	Skew    int64 `json:"skew_ms"`              // its clock, minus the leader's clock
	Timeout int64 `json:"timeout_ms,omitempty"` // its cluster-node-timeout; 0: not known
}

// node returns a member by its id, or nil.
func (s *State) node(id string) *NodeState {
	for i := range s.Nodes {
		if id != "" && s.Nodes[i].ID == id {
			return &s.Nodes[i]
		}
	}
	return nil
}

// name returns how a person calls a node.
func (s *State) name(id string) string {
	if n := s.node(id); n != nil {
		return n.Address
	}
	return id
}

// voters returns how many members vote, how many of them answer, and how many a decision needs.
func (s *State) voters() (all, answering, quorum int) {
	for _, n := range s.Nodes {
		if n.Voter {
			all++
			if n.Silent == 0 {
				answering++
			}
		}
	}
	return all, answering, all/2 + 1
}
