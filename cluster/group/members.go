package group

import (
	"errors"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// changeRoster applies an entry about a node.
func (g *Group) changeRoster(change func() error) error {
	defer g.updateView()
	g.mu.Lock()
	defer g.mu.Unlock()
	return change()
}

var (
	errNotLeader = errors.New("this node does not lead: ask the leader")
	errUnknown   = errors.New("it is unknown whether this was done, because the leader has changed: " +
		"see CLUSTER NODES")
)

// Announce tells all nodes where a node is reached. Only a leader can announce a node.
func (g *Group) Announce(k topology.Node) error {
	body, err := roster.Encode(k)
	if err != nil {
		return err
	}
	return g.commit(entry.NodeKnown, body)
}

// commit proposes an entry and waits until it is committed.
func (g *Group) commit(kind entry.Kind, body []byte) error {
	result := make(chan bool, 1)
	if err := g.enqueue(kind, body, func(safe bool) { result <- safe }); err != nil {
		return err
	}
	if !<-result {
		return errUnknown
	}
	return nil
}

// enqueue adds an entry to the queue; done is called as soon as the entry is committed.
func (g *Group) enqueue(kind entry.Kind, body []byte, done func(safe bool)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current.Load() == 0 {
		return errNotLeader
	}
	b := g.queue.add(kind, g.epoch.term, g.clock.next())
	b.Fixed = body
	g.wait(waiter{need: b.Number, done: done})
	return nil
}

// announceSelf makes a new leader announce itself, unless the log has announced it with exactly these fields.
func (g *Group) announceSelf() {
	g.mu.Lock()
	announced := g.roster.Announced() || g.epoch.told || g.current.Load() == 0
	g.epoch.told = g.epoch.told || !announced
	g.mu.Unlock()
	if announced {
		return
	}
	if body, err := roster.Encode(g.o.Self); err != nil {
		g.log.Error("this node cannot be announced: correct cluster-announce-ip and cluster-announce-port",
			"error", err)
	} else {
		_ = g.enqueue(entry.NodeKnown, body, func(bool) {}) // the next leader tries again
	}
}

// oneByOne makes the calls that change who takes part wait for each other. A node is removed in two steps,
// and must not join between them.
func (g *Group) oneByOne(change func() error) error {
	select {
	case g.members <- struct{}{}:
		defer func() { <-g.members }()
		return change()
	case <-g.gone:
		return errUnknown
	}
}

// Failover makes this node the leader. It implements [commands.Topology].
func (g *Group) Failover() error {
	v := g.View()
	leader := v.Groups[0].Leader
	switch {
	case leader < 0 || v.State != topology.OK:
		return errors.New("there is no leader that could give way: the nodes elect one by themselves")
	case leader == v.Self:
		return errors.New("this node leads already")
	}
	return g.o.AskToGiveWay(v.Nodes[leader], g.o.Self.ID)
}
