package cluster

import (
	"context"
	"errors"
	"fmt"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// service answers other nodes. It implements [peer.Service].
type service struct{ *Member }

// Hello implements [peer.Service].
func (s service) Hello(asker peer.Hello) peer.Hello {
	h := s.hello()
	if g := s.taking(); g != nil && asker.ID != "" && asker.Cluster == h.Cluster {
		h.Gone = g.HasLeft(asker.ID)
	}
	return h
}

// hello says who this node is.
func (m *Member) hello() peer.Hello {
	h := peer.Hello{
		Standing: m.standing(), Feature: group.FeatureLevel, Release: m.o.Release,
		Timing: peer.Timing{Time: m.o.Wall(), Timeout: m.o.NodeTimeout.Milliseconds()},
		Ports:  peer.Ports{TLSPort: m.o.TLSPort, Sentinel: m.o.Sentinel},
	}
	g := m.taking()
	if g == nil {
		return h
	}
	own := g.Self()
	address := own.Address()
	if k := g.View().Leader(); k != nil {
		h.Leader = peer.Leader{ID: k.ID, Peer: k.Address().Peer()}
	}
	// After the leader: when an epoch begins, everything before it is applied.
	h.Client, h.Peer, h.Zone, h.Applied = address.Client(), address.Peer(), own.Zone, g.Applied()
	h.Fault = m.disk().fault()
	return h
}

// standing says how far this node has got. A founder is a member from the first election on.
func (m *Member) standing() roster.Standing {
	g := m.group.Load()
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	if m.place.standing.Phase == roster.Founding && g.Metrics().Term > 1 {
		m.place.standing.Phase = roster.Member
	}
	return m.place.standing
}

// leading returns the node if it leads. Otherwise the error says who does.
func (m *Member) leading() (*group.Group, error) {
	g := m.taking()
	switch {
	case g == nil:
		return nil, &peer.NotLeaderError{}
	case g.Epoch() == 0:
		return nil, &peer.NotLeaderError{Leader: m.leader()}
	}
	return g, nil
}

// leader returns the peer address of the leader, "" if no other node is known to lead.
func (m *Member) leader() string {
	g := m.taking()
	if g == nil {
		return ""
	}
	return leaderOf(g.View())
}

// Join implements [peer.Service].
func (s service) Join(ctx context.Context, j peer.Join) (joined peer.Joined, err error) {
	return within(ctx, func() (peer.Joined, error) { return s.admit(j) })
}

func (m *Member) admit(j peer.Join) (joined peer.Joined, err error) {
	g, err := m.leading()
	if err != nil {
		return joined, err
	}
	if own := m.place.cluster(); j.Cluster != own {
		return joined, fmt.Errorf("this is the cluster %q, and you belong to %q: empty your directory to join", own, j.Cluster)
	}
	switch {
	case g.Votes(j.Node.ID):
		return peer.Joined{Voter: true}, nil
	case g.HasLeft(j.Node.ID):
		return peer.Joined{Gone: true}, nil
	}
	if j.Vote {
		err = g.Promote(j.Node.ID)
		return peer.Joined{Voter: err == nil}, err
	}
	j.Node.Features = j.Feature
	joined.Commit, err = g.Admit(j.Node)
	return joined, err
}

// Forget implements [peer.Service].
func (s service) Forget(ctx context.Context, id string) error {
	return s.asLeader(ctx, func(g *group.Group) error { return g.Forget(id) })
}

// Failover implements [peer.Service].
func (s service) Failover(ctx context.Context, id string) error {
	return s.asLeader(ctx, func(g *group.Group) error { return g.GiveWay(id) })
}

// asLeader does something that only a leader can do.
func (m *Member) asLeader(ctx context.Context, do func(g *group.Group) error) error {
	g, err := m.leading()
	if err != nil {
		return err
	}
	_, err = within(ctx, func() (struct{}, error) { return struct{}{}, do(g) })
	return err
}

// Invite implements [peer.Service].
func (s service) Invite(_ context.Context, i peer.Invite) error {
	addrs, err := topology.ParseAddresses(i.Addresses)
	if err != nil {
		return err
	}
	if own := s.place.cluster(); own != "" && own != i.Cluster {
		return errors.New("this node belongs to another cluster: stop it, empty its directory, and " +
			"start it again")
	}
	if s.place.invite(addrs) {
		return nil
	}
	select {
	case s.kick <- struct{}{}:
	default: // it asks the leader anyway
	}
	return nil
}

// Publish implements [peer.Service].
func (s service) Publish(shard bool, channel, message []byte) { s.o.Deliver(shard, channel, message) }

// KeepScript implements [peer.Service].
func (s service) KeepScript(text []byte) { s.o.KeepScript(text) }
