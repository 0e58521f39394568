package cluster

import (
	"errors"

	"cellserver/cluster/entry"
	"cellserver/cluster/pending"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// changeRoster applies an entry about a node.
func (n *Node) changeRoster(change func() error) error {
	defer n.updateView()
	n.mu.Lock()
	defer n.mu.Unlock()
	return change()
}

var (
	errNotLeader = errors.New("this node does not lead: ask the leader")
	errUnknown   = errors.New("it is unknown whether this was done, because the leader has changed: " +
		"see CLUSTER NODES")
	errAlone = errors.New("this node cannot ask other nodes")
)

// Announce tells all nodes where a node is reached. Only a leader can announce a node.
func (n *Node) Announce(k topology.Node) error {
	body, err := roster.Encode(k)
	if err != nil {
		return err
	}
	return n.commit(entry.NodeKnown, body)
}

// commit proposes an entry and waits until it is committed.
func (n *Node) commit(kind entry.Kind, body []byte) error {
	result := make(chan bool, 1)
	if err := n.enqueue(kind, body, func(safe bool) { result <- safe }); err != nil {
		return err
	}
	if !<-result {
		return errUnknown
	}
	return nil
}

// enqueue adds an entry to the queue; done is called as soon as the entry is committed.
func (n *Node) enqueue(kind entry.Kind, body []byte, done func(safe bool)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current.Load() == 0 {
		return errNotLeader
	}
	b := n.queue.Add(kind, n.epoch.term, n.clock.next())
	b.Fixed = body
	n.wait(pending.Waiter{Need: b.Number, Done: done})
	return nil
}

// announceSelf makes a new leader announce itself, unless the log has announced it with exactly these fields.
func (n *Node) announceSelf() {
	n.mu.Lock()
	announced := n.roster.Announced() || n.epoch.told || n.current.Load() == 0
	n.epoch.told = n.epoch.told || !announced
	n.mu.Unlock()
	if announced {
		return
	}
	if body, err := roster.Encode(n.o.Self); err != nil {
		n.log.Error("this node cannot be announced: correct cluster-announce-ip and cluster-announce-port",
			"error", err)
	} else {
		_ = n.enqueue(entry.NodeKnown, body, func(bool) {}) // the next leader tries again
	}
}

// oneByOne makes the calls that change who takes part wait for each other. A node is removed in two steps,
// and must not join between them.
func (n *Node) oneByOne(change func() error) error {
	select {
	case n.members <- struct{}{}:
		defer func() { <-n.members }()
		return change()
	case <-n.gone:
		return errUnknown
	}
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
