package cluster

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// startGroup starts the group of the node at its place.
func (m *Member) startGroup(d roster.Decision) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if err := m.prepare(&d); err != nil {
		return err
	}
	address, err := m.ownAddress(&d)
	if err != nil {
		return err
	}
	o, err := m.nodeOptions(m.nodeAt(m.disk().identity.ID, address))
	if err != nil {
		return err
	}
	phase := roster.Member
	if m.place.self().Phase == roster.Founding {
		phase = roster.Founding
	}
	if d.Action == roster.Found {
		if err := m.found(&d, o); err != nil {
			return err
		}
		phase = roster.Founding
	}
	m.place.noteTaken(phase, &m.disk().identity)
	g := group.New(o)
	g.After(m.group.Load())
	m.group.Store(g) // Raft calls it from its start on
	m.place.noteTakesPart()
	return g.Start()
}

// prepare makes the directory ready: the id is on disk before Raft starts.
func (m *Member) prepare(d *roster.Decision) error {
	n := &m.disk().identity
	switch d.Action {
	case roster.Found: // the cluster follows after the voters are written
		if err := m.disk().save(d.ID, ""); err != nil {
			return err
		}
	case roster.Enter:
		if err := m.disk().save(d.ID, d.Cluster); err != nil {
			return err
		}
	default:
		d.Found = m.foundAt(n.ID)
		if n.Cluster == "" { // it stopped after it wrote the voters and before it wrote the cluster
			if err := m.disk().save(n.ID, roster.ClusterID(m.o.List)); err != nil {
				return err
			}
		}
	}
	return m.disk().openLog()
}

// foundAt returns the listed address of a node that goes on with its disk.
func (m *Member) foundAt(id string) string {
	for _, a := range m.o.List {
		if roster.FounderID(m.o.List, a) == id {
			return a.String()
		}
	}
	return m.findSelfInList()
}

// found writes the voters as the first entry of the log.
func (m *Member) found(d *roster.Decision, o group.Options) error {
	if err := group.Bootstrap(o, o.Listed); err != nil {
		return err
	}
	return m.disk().save(d.ID, roster.ClusterID(m.o.List))
}

// nodeAt returns this node with an address, unless the configuration announces another one.
func (m *Member) nodeAt(id string, address topology.Address) topology.Node {
	a := &m.o.Announce
	return topology.Node{
		ID: id, Host: cmp.Or(a.Host, address.Host, "127.0.0.1"), Port: cmp.Or(a.Port, address.Port),
		PeerPort: cmp.Or(a.PeerPort, address.PeerPort),
		TLSPort:  m.o.TLSPort, Sentinel: m.o.Sentinel, Zone: m.o.Zone, Features: group.FeatureLevel, Healthy: true,
	}
}

// nodeOptions returns the options of the group, and opens Raft's port.
func (m *Member) nodeOptions(self topology.Node) (o group.Options, err error) {
	o = group.Options{
		Self: self, Store: m.o.Store, Listed: roster.Founders(m.o.List), Clock: m.o.Clock, Log: m.log,
		Timing: m.o.Timing, Reads: m.o.Reads, Applied: m.appliedBy,
		Replaced: m.o.Replaced, Own: m.o.Own, Epoch: m.o.Epoch, StopScripts: m.o.StopScripts,
		EndScripts: m.o.EndScripts, Failed: m.nodeFailed, Ending: m.ctx.Done(),
	}
	var screen peer.Screen
	if o.Disk, screen, err = m.disk().parts(); err != nil {
		return o, err
	}
	id := cmp.Or(m.disk().identity.Cluster, roster.ClusterID(m.o.List))
	if o.Cluster, err = roster.ParseID(id); err != nil {
		return o, err
	}
	layer, err := m.port.Raft(0, self.Address().Peer())
	if err != nil {
		return o, err
	}
	entries, err := m.port.Entries(0, self.Address().Peer())
	if err != nil {
		return o, err
	}
	timeout := max(2*m.o.NodeTimeout, leastRaftTimeout)
	network := raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: layer, MaxPool: pooledConnections, Timeout: timeout, Logger: m.disk().log,
	})
	commits := func(term uint64) uint64 { return m.group.Load().CommittedIn(term) }
	last := &asked{}
	noting := func(message raft.RPC, closed <-chan struct{}) raft.RPC {
		last.note(message, m.group.Load().LedBy)
		return screen(message, closed)
	}
	m.transport = peer.NewCarrier(network, entries, timeout, m.quiet.C, commits, noting, m.disk().log)
	o.Transport = transport{m.transport, m.o.NodeTimeout / 2, last}
	return o, nil
}

const (
	// pooledConnections is how many idle connections stay open to each node.
	pooledConnections = 3
	// leastRaftTimeout is the least time for a message of Raft.
	leastRaftTimeout = time.Second
)

// ownAddress returns where the others reach this node. That is the listed address at which it has reached
// itself. Without one it is the address from which this node reaches another one, with the ports of the
// configuration.
func (m *Member) ownAddress(d *roster.Decision) (address topology.Address, err error) {
	i := slices.IndexFunc(m.o.List, func(a topology.Address) bool { return a.String() == d.Found })
	if i >= 0 {
		return m.o.List[i], nil
	}
	address = m.o.Fallback
	if address.Host == "" && m.o.Announce.Host == "" {
		address.Host, err = m.reachedFrom(d.Via)
	}
	return address, err
}

// reachedFrom waits until it reaches another node, and returns the local address of the connection.
func (m *Member) reachedFrom(via []string) (string, error) {
	for _, a := range m.o.List {
		via = append(via, a.Peer())
	}
	for {
		for _, peer := range via {
			if host := m.localHost(peer); host != "" {
				m.log.Info("this node announces the address from which it reaches another node: "+
					"set cluster-announce-ip if others reach it elsewhere", "address", host, "node", peer)
				return host, nil
			}
		}
		m.place.waitFor("waiting for another node: this node listens on every address, and announces the " +
			"one from which it reaches others. " +
			"Set cluster-announce-ip to announce an address at once")
		m.pause(askPause)
		if m.ctx.Err() != nil {
			return "", m.ctx.Err()
		}
	}
}

func (m *Member) localHost(peer string) string {
	ctx, stop := context.WithTimeout(m.ctx, askTimeout)
	defer stop()
	return m.dialer.LocalHost(ctx, peer)
}
