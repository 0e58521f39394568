package cluster

import (
	"cellserver/cluster/entry"
	"cellserver/internal/topology"
)

// Level returns the feature level of the cluster, as far as this node has applied the log.
func (n *Node) Level() uint16 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.level
}

// FollowReleases raises the feature level to the highest one that all members know, if this node leads. It
// logs which other nodes know only lower levels than this node, at the start and after each change. The edge
// calls it about once a second, from one goroutine.
func (n *Node) FollowReleases() {
	_ = n.oneByOne(n.raiseLevel) // the next call tries again
	n.adviseUpgrade()
}

func (n *Node) raiseLevel() error {
	n.mu.Lock()
	now, next := n.level, min(n.roster.Level(), n.knows())
	n.mu.Unlock()
	if next <= now || next < levelOfRaises || n.current.Load() == 0 {
		return nil
	}
	return n.commit(entry.LevelRaised, entry.AppendLevel(nil, next))
}

func (n *Node) adviseUpgrade() {
	n.mu.Lock()
	level, names := n.level, addresses(n.roster.Below(n.o.Self.Features))
	n.mu.Unlock()
	if n.View().State != topology.OK || names == n.advised {
		return
	}
	if n.advised = names; names != "" {
		n.log.Info("other nodes know lower feature levels than this server: upgrade the other nodes",
			"knows", n.knows(), "cluster", level, "nodes", names)
	}
}
