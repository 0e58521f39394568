package cluster

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// members are the nodes of the cluster. Node.mu guards them.
type members struct {
	self    topology.Node
	known   map[string]topology.Node // as entries of the log have announced them
	servers []raft.Server            // who takes part, in raft's configuration
	silent  map[raft.ServerID]bool   // those that do not reply to this leader
	leader  string                   // the id of the last one; "" before the first election
}

func (m *members) init(self topology.Node) {
	m.self, m.known, m.silent = self, map[string]topology.Node{}, map[raft.ServerID]bool{}
}

// configure notes who takes part.
func (m *members) configure(c raft.Configuration) { m.servers = slices.Clone(c.Servers) }

// node returns what is known about a member.
func (m *members) node(s raft.Server) topology.Node {
	n, ok := m.known[string(s.ID)]
	if !ok {
		host, port, _ := net.SplitHostPort(string(s.Address))
		n = topology.Node{ID: string(s.ID), Host: host}
		n.PeerPort, _ = strconv.Atoi(port)
	}
	n.Voter = s.Suffrage == raft.Voter
	n.Healthy = !m.silent[s.ID]
	return n
}

// peerAddress returns raft's address of a node.
func peerAddress(n topology.Node) raft.ServerAddress {
	return raft.ServerAddress(net.JoinHostPort(n.Host, strconv.Itoa(n.PeerPort)))
}

// applyMember notes a node that an entry announces or removes.
func (n *Node) applyMember(e *entry.Entry) error {
	defer n.updateView()
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.Kind == entry.NodeGone {
		id, err := entry.ParseGone(e.Body)
		delete(n.members.known, id)
		return err
	}
	return n.members.note(e.Body)
}

// note notes a node in the form of an entry.
func (m *members) note(body []byte) error {
	k, err := entry.ParseNode(body)
	if err == nil {
		m.known[k.ID] = topology.Node{ID: k.ID, Host: k.Host, Port: int(k.Port), PeerPort: int(k.PeerPort), Zone: k.Zone}
	}
	return err
}

// encode returns a node in the form of an entry.
func encode(k topology.Node) ([]byte, error) {
	return entry.AppendNode(nil, entry.Node{
		ID: k.ID, Host: k.Host, Port: uint16(k.Port), PeerPort: uint16(k.PeerPort), Zone: k.Zone, Features: featureLevel,
	})
}

var (
	errNotLeader = errors.New("this node does not lead: ask the leader")
	errUnknown   = errors.New("nobody knows whether it was done: the leader has changed meanwhile")
	errAlone     = errors.New("this node cannot ask other nodes")
)

// Announce tells all nodes where a node is reached. Only a leader can.
func (n *Node) Announce(k topology.Node) error {
	body, err := encode(k)
	if err != nil {
		return err
	}
	return n.commit(entry.NodeKnown, body)
}

// commit proposes an entry and waits until it is committed.
func (n *Node) commit(kind entry.Kind, body []byte) error {
	result := make(chan bool, 1)
	if err := n.propound(kind, body, func(safe bool) { result <- safe }); err != nil {
		return err
	}
	if !<-result {
		return errUnknown
	}
	return nil
}

// propound adds an entry to the queue; done is called as soon as the entry is committed.
func (n *Node) propound(kind entry.Kind, body []byte, done func(safe bool)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 {
		return errNotLeader
	}
	b := n.queue.add(kind, n.epoch.term)
	b.fixed = body
	n.waiters.add(waiter{need: b.number, done: done})
	n.wakeUp()
	return nil
}

// announceSelf makes a new leader announce itself, if the log does not have it as it is.
func (n *Node) announceSelf() {
	n.mu.Lock()
	self := n.members.self
	known, ok := n.members.known[self.ID]
	n.mu.Unlock()
	same := ok && known.Host == self.Host && known.Port == self.Port && known.PeerPort == self.PeerPort && known.Zone == self.Zone
	if same || n.current.Load() == 0 {
		return
	}
	if body, err := encode(self); err != nil {
		n.log.Error("this node cannot be announced: correct cluster-announce-ip and cluster-announce-port", "error", err)
	} else {
		_ = n.propound(entry.NodeKnown, body, func(bool) {}) // the next leader tries again
	}
}

// Meet adds the node at an address of clients. It waits until the node has the data and votes. It implements
// [commands.Topology].
func (n *Node) Meet(host string, port int) error {
	if n.o.Peers == nil {
		return errAlone
	}
	k, err := n.o.Peers.Hello(host, port)
	if err != nil {
		return err
	}
	return n.Add(k)
}

// Add adds a node. It waits until the node has the data and votes. Only a leader can.
func (n *Node) Add(k topology.Node) error {
	if err := n.Announce(k); err != nil {
		return err
	}
	r := n.raft.Load()
	id := raft.ServerID(k.ID)
	if err := r.AddNonvoter(id, peerAddress(k), 0, 0).Error(); err != nil {
		return err
	}
	if err := n.awaitApplied(k, r.LastIndex()); err != nil {
		return err
	}
	return r.AddVoter(id, peerAddress(k), 0, 0).Error()
}

// joinPatience is how long a leader waits for a new node to get the data, while the node makes progress.
const joinPatience = 30 * time.Second

// awaitApplied waits until a node has applied an entry.
func (n *Node) awaitApplied(k topology.Node, index uint64) error {
	if n.o.Peers == nil {
		return errAlone
	}
	ticker := time.NewTicker(n.o.NodeTimeout / 4)
	defer ticker.Stop()
	last, since := uint64(0), n.o.Clock.Monotonic()
	for {
		at, err := n.o.Peers.Applied(k)
		now := n.o.Clock.Monotonic()
		switch {
		case err == nil && at >= index:
			return nil
		case err == nil && at > last:
			last, since = at, now
		case now-since > int64(joinPatience):
			return fmt.Errorf("node %s gets no data: its last entry is %d of %d: start it, or remove it by CLUSTER FORGET: %w", k.ID, last, index, err)
		}
		select {
		case <-ticker.C:
		case <-n.stop:
			return errUnknown
		}
	}
}

// Forget removes a node. It implements [commands.Topology]. Only a leader can.
func (n *Node) Forget(id string) error {
	if n.current.Load() == 0 {
		return errNotLeader
	}
	if err := n.raft.Load().RemoveServer(raft.ServerID(id), 0, 0).Error(); err != nil {
		return err
	}
	body, err := entry.AppendGone(nil, id)
	if err != nil {
		return err
	}
	return n.commit(entry.NodeGone, body)
}

// Failover makes this node the leader. It implements [commands.Topology].
func (n *Node) Failover() error {
	v := n.View()
	leader := v.Groups[0].Leader
	switch {
	case n.o.Peers == nil:
		return errAlone
	case leader < 0 || v.State != topology.OK:
		return errors.New("there is no leader that could give way: the nodes elect one by themselves")
	case leader == v.Self:
		return errors.New("this node leads already")
	}
	return n.o.Peers.GiveWay(v.Nodes[leader], n.o.Self.ID)
}

// Publish sends a published message to the other nodes, at most once. It implements [commands.Topology].
func (n *Node) Publish(channel, message []byte) {
	if n.o.Publish != nil {
		n.o.Publish(channel, message)
	}
}
