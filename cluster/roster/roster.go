package roster

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net"
	"slices"
	"strconv"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// Roster is the nodes of the cluster.
type Roster struct {
	self    topology.Node
	known   map[string]topology.Node // as entries of the log have announced them
	gone    []string                 // ids that are marked as removed, the newest last; none of them is ever used again
	listed  []topology.Node          // as the configuration has them, until an entry announces them
	servers []raft.Server            // who takes part, in raft's configuration
	silent  map[raft.ServerID]bool   // those that do not reply to this leader
	leader  string                   // the id of the last leader; "" before the first election
}

// New returns the roster of a node that knows itself only.
func New(self topology.Node) Roster {
	return Roster{self: self, known: map[string]topology.Node{}, silent: map[raft.ServerID]bool{}}
}

// Expect notes nodes as the configuration has them.
func (r *Roster) Expect(listed []topology.Node) { r.listed = listed }

// Configure notes who takes part.
func (r *Roster) Configure(c raft.Configuration) {
	r.servers = slices.Clone(c.Servers)
	r.dropLeft()
	maps.DeleteFunc(r.silent, func(id raft.ServerID, _ bool) bool {
		return !slices.ContainsFunc(r.servers, func(s raft.Server) bool { return s.ID == id })
	})
}

// Resume notes who takes part in the newest snapshot, which was just loaded. Raft does not report this. At
// the start, the caller of Configure knows more than the snapshot.
func (r *Roster) Resume(newest raft.SnapshotStore) error {
	if !r.Configured() {
		return nil
	}
	all, err := newest.List()
	if err == nil && len(all) > 0 {
		r.Configure(all[0].Configuration)
	}
	return err
}

// Configured reports whether anybody takes part.
func (r *Roster) Configured() bool { return r.servers != nil }

// Note notes a node in the form of an entry.
func (r *Roster) Note(body []byte) error {
	k, err := entry.ParseNode(body)
	if err == nil {
		r.known[k.ID] = topology.Node{
			ID: k.ID, Host: k.Host, Port: int(k.Port), PeerPort: int(k.PeerPort), Zone: k.Zone, Features: int(k.Features),
		}
	}
	return err
}

// Remove marks the node that an entry names as removed. Clients see the node as long as it takes part.
func (r *Roster) Remove(body []byte) error {
	id, err := entry.ParseGone(body)
	if err != nil {
		return err
	}
	r.forget(id)
	r.dropLeft()
	return nil
}

// dropLeft forgets what is known about nodes that have left.
func (r *Roster) dropLeft() {
	maps.DeleteFunc(r.known, func(id string, _ topology.Node) bool { return r.HasLeft(id) })
}

// mostGone is how many removed ids the nodes remember.
const mostGone = 4096

func (r *Roster) forget(id string) {
	if !slices.Contains(r.gone, id) {
		r.gone = append(r.gone, id)
	}
	r.gone = r.gone[max(0, len(r.gone)-mostGone):]
}

// IsGone reports whether a node is marked as removed.
func (r *Roster) IsGone(id string) bool { return slices.Contains(r.gone, id) }

// HasLeft reports whether a node is marked as removed, and takes no part.
func (r *Roster) HasLeft(id string) bool {
	return r.Server(id).ID == "" && r.IsGone(id)
}

// Leaving returns the id of a node that is marked as removed, and still takes part; "" for none.
func (r *Roster) Leaving() string {
	for _, s := range r.servers {
		if r.IsGone(string(s.ID)) {
			return string(s.ID)
		}
	}
	return ""
}

// Gone returns the ids of removed nodes, in the order of their removal.
func (r *Roster) Gone() []string { return slices.Clone(r.gone) }

// Known returns all nodes that entries have announced, sorted by id.
func (r *Roster) Known() []topology.Node {
	return slices.SortedFunc(maps.Values(r.known), func(a, b topology.Node) int { return cmp.Compare(a.ID, b.ID) })
}

// Replace replaces the announced nodes, each in the form of an entry, and the ids of the removed nodes.
func (r *Roster) Replace(nodes [][]byte, gone []string) (err error) {
	r.known, r.gone = map[string]topology.Node{}, slices.Clone(gone)
	for _, body := range nodes {
		err = errors.Join(err, r.Note(body))
	}
	return err
}

// Knows reports whether an entry has announced a node with exactly these fields.
func (r *Roster) Knows(n topology.Node) bool {
	k, ok := r.known[n.ID]
	return ok && k.Host == n.Host && k.Port == n.Port && k.PeerPort == n.PeerPort && k.Zone == n.Zone && k.Features == n.Features
}

// Level returns the highest feature level that all members know; 0 if a member is not announced.
func (r *Roster) Level() uint16 {
	least := math.MaxUint16
	for _, s := range r.servers {
		least = min(least, r.known[string(s.ID)].Features)
	}
	return uint16(least)
}

// Below returns the addresses of the other announced members that know only levels below a feature level.
func (r *Roster) Below(level int) (all []string) {
	for _, s := range r.servers {
		if k, ok := r.known[string(s.ID)]; ok && k.ID != r.self.ID && k.Features < level {
			all = append(all, k.Address().Client())
		}
	}
	return all
}

// Silent notes whether a node does not reply to this leader.
func (r *Roster) Silent(id raft.ServerID, silent bool) { r.silent[id] = silent }

// NobodySilent forgets who did not reply in an earlier epoch.
func (r *Roster) NobodySilent() { clear(r.silent) }

// Votes reports whether a node may lead.
func (r *Roster) Votes(id string) bool {
	s := r.Server(id)
	return s.ID != "" && s.Suffrage == raft.Voter
}

// Server returns a server by its id. It has no id if the server takes no part.
func (r *Roster) Server(id string) (found raft.Server) {
	for _, s := range r.servers {
		if string(s.ID) == id {
			found = s
		}
	}
	return found
}

// At returns the ids of the servers at an address.
func (r *Roster) At(address raft.ServerAddress) (ids []raft.ServerID) {
	for _, s := range r.servers {
		if s.Address == address {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Encode returns a node in the form of an entry.
func Encode(k topology.Node) ([]byte, error) {
	return entry.AppendNode(nil, entry.Node{
		ID: k.ID, Host: k.Host, Port: uint16(k.Port), PeerPort: uint16(k.PeerPort), Zone: k.Zone, Features: uint16(k.Features),
	})
}

// RaftAddress returns raft's address of a node.
func RaftAddress(n topology.Node) raft.ServerAddress {
	return raft.ServerAddress(n.Address().Peer())
}

// node returns what is known about a server.
func (r *Roster) node(s raft.Server) topology.Node {
	n, ok := r.known[string(s.ID)]
	if i := indexOf(r.listed, string(s.ID)); !ok && i >= 0 {
		n, ok = r.listed[i], true
	}
	if !ok {
		host, port, _ := net.SplitHostPort(string(s.Address))
		n = topology.Node{ID: string(s.ID), Host: host}
		n.PeerPort, _ = strconv.Atoi(port)
	}
	n.Voter = s.Suffrage == raft.Voter
	return n
}

// View returns the cluster without its state. leader is the id of the leader, or "" if no node leads. Then
// the view names the last leader.
func (r *Roster) View(leader string, term, applied uint64) *topology.View {
	v := &topology.View{}
	for _, s := range r.servers {
		k := r.node(s)
		k.Healthy = leader != r.self.ID || !r.silent[s.ID] // only a leader knows
		if k.ID == r.self.ID {
			k.Applied, k.Features = applied, r.self.Features
			k.TLSPort, k.Sentinel = r.self.TLSPort, r.self.Sentinel
		}
		v.Nodes = append(v.Nodes, k)
	}
	if indexOf(v.Nodes, r.self.ID) < 0 {
		self := r.self
		self.Voter, self.Healthy, self.Applied = false, true, applied
		v.Nodes = append(v.Nodes, self)
	}
	slices.SortFunc(v.Nodes, func(a, b topology.Node) int { return cmp.Compare(a.ID, b.ID) })
	v.Self = indexOf(v.Nodes, r.self.ID)
	if leader != "" {
		r.leader = leader
	}
	g := topology.Group{Last: store.Slots - 1, Term: term, Applied: applied, Leader: indexOf(v.Nodes, r.leader)}
	for i := range v.Nodes {
		if i != g.Leader {
			g.Replicas = append(g.Replicas, i)
		}
	}
	v.Groups = []topology.Group{g}
	return v
}

func indexOf(nodes []topology.Node, id string) int {
	return slices.IndexFunc(nodes, func(k topology.Node) bool { return k.ID == id })
}

// Watch calls note when raft, as the leader, gets no reply from a node, and when it gets replies again. Raft
// calls the filter of an observer at once for each observation. So nothing is lost, as it could be in a
// channel that is full.
func Watch(r *raft.Raft, note func(id raft.ServerID, silent bool)) {
	r.RegisterObserver(raft.NewObserver(nil, false, func(o *raft.Observation) bool {
		switch about := o.Data.(type) {
		case raft.FailedHeartbeatObservation:
			note(about.PeerID, true)
		case raft.ResumedHeartbeatObservation:
			note(about.PeerID, false)
		}
		return false
	}))
}
