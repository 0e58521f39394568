package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/internal/topology"
)

// callPatience is how long CLUSTER MEET, FORGET and FAILOVER wait for other nodes.
const callPatience = 30 * time.Second

var errNoPlace = errors.New("this node is in no cluster yet: see its log")

// Meet implements [commands.Topology]. The other node joins by itself, and this one waits until it votes.
func (m *Member) Meet(address topology.Address) error {
	g := m.taking()
	if g == nil {
		return errNoPlace
	}
	ctx, stop := context.WithTimeout(m.calls, callPatience)
	defer stop()
	invitation := peer.Invite{Cluster: m.place.cluster()}
	for _, k := range g.View().Nodes {
		invitation.Addresses = append(invitation.Addresses, k.Address().String())
	}
	if err := m.dialer.Invite(ctx, address.Peer(), invitation); err != nil {
		return err
	}
	return m.awaitVoter(ctx, g, address, invitation)
}

// awaitVoter waits until the node at an address votes. It repeats the invitation: the first one may come
// before the node knows that the cluster has removed it.
func (m *Member) awaitVoter(ctx context.Context, g *group.Group, address topology.Address,
	invitation peer.Invite) error {
	for {
		h, err := m.dialer.Hello(ctx, address.Peer(), m.hello())
		if err == nil {
			if v := g.View(); v.Find(h.ID) >= 0 && v.Nodes[v.Find(h.ID)].Voter && !g.IsGone(h.ID) {
				return nil
			}
			_ = m.dialer.Invite(ctx, address.Peer(), invitation) // the next one may arrive
		}
		select {
		case <-time.After(m.o.NodeTimeout / 4):
		case <-ctx.Done():
			return fmt.Errorf("%s has the invitation, and does not vote yet: see its log, and CLUSTER NODES",
				address.Client())
		}
	}
}

// Forget implements [commands.Topology].
func (m *Member) Forget(id string) error {
	ctx, stop := context.WithTimeout(m.calls, callPatience)
	defer stop()
	err := m.asLeader(ctx, func(g *group.Group) error { return g.Forget(id) })
	elsewhere, is := errors.AsType[*peer.NotLeaderError](err)
	if !is || elsewhere.Leader == "" {
		return err
	}
	return m.dialer.Forget(ctx, elsewhere.Leader, id)
}

// Failover implements [commands.Topology]. It asks the leader to let this node lead.
func (m *Member) Failover() error {
	g := m.taking()
	if g == nil {
		return errNoPlace
	}
	v := g.View()
	leader := v.LeaderOf(0)
	switch {
	case leader < 0 || v.State != topology.OK:
		return errors.New("there is no leader that could give way: the nodes elect one by themselves")
	case leader == v.Self:
		return errors.New("this node leads already")
	}
	ctx, stop := context.WithTimeout(m.calls, callPatience)
	defer stop()
	return m.dialer.Failover(ctx, v.Nodes[leader].Address().Peer(), g.Self().ID)
}

// appliedBy asks a node for its last applied entry. Another node may have the address by now, because the
// disk of the first one is lost.
func (m *Member) appliedBy(k topology.Node) (uint64, error) {
	h, err := m.askNode(k.Address().Peer())
	switch {
	case err != nil || h.ID == k.ID:
	case h.Cluster == m.place.cluster():
		err = group.ErrOtherNode
	default:
		err = fmt.Errorf("%s is not the address of node %s any more", k.Address().Peer(), k.ID)
	}
	return h.Applied, err
}

func (m *Member) askNode(address string) (peer.Hello, error) {
	ctx, stop := context.WithTimeout(m.ctx, askTimeout)
	defer stop()
	return m.dialer.Hello(ctx, address, m.hello())
}
