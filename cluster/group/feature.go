package group

import (
	"strings"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"
)

// Level returns the feature level of the cluster, as far as this node has applied the log.
func (g *Group) Level() uint16 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.level
}

// FollowReleases raises the feature level if it can, and advises to upgrade older nodes. Package cluster
// calls it about once a second, from one goroutine.
func (g *Group) FollowReleases() {
	_ = g.changeMembers(g.raiseLevel) // so no node joins meanwhile; after an error the next call tries again
	g.adviseUpgrade()
}

// raiseLevel raises the feature level to the highest one that all members know, if this node leads.
func (g *Group) raiseLevel() error {
	g.mu.Lock()
	level, next := g.level, min(g.roster.Level(), g.knownLevel())
	g.mu.Unlock()
	if next <= level || g.current.Load() == 0 {
		return nil
	}
	return g.commit(entry.LevelRaised, entry.AppendLevel(nil, next))
}

// adviseUpgrade logs which other nodes know lower levels than this node: at the start and after each change.
func (g *Group) adviseUpgrade() {
	g.mu.Lock()
	level, names := g.level, strings.Join(g.roster.Below(g.o.Self.Features), " ")
	g.mu.Unlock()
	if g.View().State != topology.OK || names == g.advised {
		return
	}
	if g.advised = names; names != "" {
		g.log.Info("other nodes know lower feature levels than this server: upgrade the other nodes",
			"knows", g.knownLevel(), "cluster", level, "nodes", names)
	}
}
