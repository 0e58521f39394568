package roster

import (
	"slices"

	"cellserver/internal/topology"
)

// Action is what a node does next.
type Action uint8

// The actions.
const (
	Wait   Action = iota // ask again, a little later
	Resume               // start Raft with the own disk
	Found                // write the Founders as the first entry of the log, and start Raft
	Enter                // keep ID and Cluster on disk, start Raft with an empty log, and ask Via to be added
	Refuse               // stop: only a person can help
)

// Decision is what a node does next, and why.
type Decision struct {
	Action  Action
	Why     string   // one sentence
	ID      string   // of this node: Found, Enter
	Cluster string   // Enter: the cluster to join
	Via     []string // Enter: peer addresses, the leader first if it is known
	Found   string   // the listed address at which this node reached itself; the caller puts it into its Standing
}

// Decide returns what a node does next. The answers are those of Self.Ask, by Address.String.
func Decide(self Self, answers map[string]Answer) Decision {
	if self.Phase == Member || self.Phase == Founding {
		return Decision{Action: Resume, Why: "this node goes on with its own disk", Found: self.Found}
	}
	asked := self.Ask()
	if len(asked) == 0 {
		return Decision{Why: whyAlone}
	}
	v := &view{self: &self}
	for _, a := range asked {
		v.add(a, answers)
	}
	d := v.decide()
	d.Found = v.foundAt()
	return d
}

// A heard is an address and what it answered.
type heard struct {
	at     topology.Address
	listed bool
	Answer
}

// A view has the answers in the order of the addresses.
type view struct {
	self   *Self
	heard  []heard // answers, with the answer of this node
	silent []heard // addresses without an answer
}

func (v *view) add(at topology.Address, answers map[string]Answer) {
	answer, ok := answers[at.String()]
	if !ok {
		answer.Error = "not asked yet"
	}
	h := heard{at, contains(v.self.List, at), answer}
	if answer.Error != "" {
		v.silent = append(v.silent, h)
	} else {
		v.heard = append(v.heard, h)
	}
}

// isSelf reports whether an answer comes from this node.
func (v *view) isSelf(h heard) bool { return h.Run == v.self.Run }

// foundAt returns the listed address at which this node reached itself, or "".
func (v *view) foundAt() string {
	for _, h := range v.heard {
		if v.isSelf(h) && h.listed {
			return h.at.String()
		}
	}
	return v.self.Found
}

// others returns the answers of other nodes that are in one of the phases.
func (v *view) others(phases ...Phase) (found []heard) {
	for _, h := range v.heard {
		if !v.isSelf(h) && slices.Contains(phases, h.Phase) {
			found = append(found, h)
		}
	}
	return found
}

// Milliseconds between two log lines.
const (
	reportChanged = 1_000  // if the reason changes
	reportSame    = 30_000 // if it stays the same
)

// Report says which decisions are worth a log line, so that a node that waits for long does not fill its log.
type Report struct {
	last string
	at   int64
	any  bool
}

// Line reports whether a decision is worth a log line. The time is in milliseconds, of any clock that does
// not go back.
func (r *Report) Line(d Decision, now int64) bool {
	rest := int64(reportChanged)
	if d.Why == r.last {
		rest = reportSame
	}
	if r.any && d.Action == Wait && now-r.at < rest {
		return false
	}
	r.last, r.at, r.any = d.Why, now, true
	return true
}

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
	Run     string   `json:"run"`               // 40 random hexadecimal digits, new with each start
	ID      string   `json:"id,omitempty"`      // of the node; "" if it has no id yet
	Phase   Phase    `json:"phase"`             // how far it has got
	Cluster string   `json:"cluster,omitempty"` // id of its cluster; "" if it has not heard it yet
	Nodes   []string `json:"nodes,omitempty"`   // cluster-nodes, sorted
	Found   string   `json:"found,omitempty"`   // where it reached itself, of Nodes; "" if it has not
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
