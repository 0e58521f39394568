package group

import (
	"fmt"
	"time"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"

	"github.com/hashicorp/raft"
)

// Forget removes a node. Only a leader can remove a node.
func (g *Group) Forget(id string) error {
	return g.changeMembers(func() error { return g.forget(id, false) })
}

// forget marks a node as removed in the log, and then removes it from raft. If this leader is lost between
// the two steps, or is to be removed itself, the next leader does the second step: see FinishRemovals.
// `replaced` says that another node has the address of the removed one.
func (g *Group) forget(id string, replaced bool) error {
	if g.current.Load() == 0 {
		return errNotLeader
	}
	if err := g.canSpare(id, replaced); err != nil {
		return err
	}
	if err := g.mark(id); err != nil {
		return err
	}
	return g.complete(id)
}

func (g *Group) mark(id string) error {
	body, err := entry.AppendGone(nil, id)
	if err != nil {
		return err
	}
	return g.commit(entry.NodeGone, body)
}

// complete removes a marked node from raft. A leader that is marked itself lets another node lead, and that
// node completes the removal. If a leader removed itself, the cluster would have no leader until an
// election.
func (g *Group) complete(id string) error {
	if id == g.o.Self.ID {
		return g.GiveWay("")
	}
	return g.await(g.raft.Load().RemoveServer(raft.ServerID(id), 0, 0))
}

// canSpare returns an error unless a majority of the other voters answers. Without that majority, the
// cluster would have no leader after the removal. The vote of a replaced node is lost already. So its removal
// needs only a majority that confirms entries. Then the successor of the node can vote.
func (g *Group) canSpare(id string, replaced bool) error {
	v := g.View()
	voters, answering := 0, len(g.hear(v, id, forAnswers, replaced))
	for i := range v.Nodes {
		if v.Nodes[i].Voter && v.Nodes[i].ID != id {
			voters++
			if i == v.Self {
				answering++
			}
		}
	}
	if quorum := voters/2 + 1; answering < quorum {
		return fmt.Errorf("%d of the other %d voters answer, but after the removal the cluster needs "+
			"%d: start more of them first", answering, voters, quorum)
	}
	return nil
}

// forAnswers is longer than a question takes.
const forAnswers = 30 * time.Second

// FinishRemovals removes from raft a node that the log marks as removed, if this node leads. The leader that
// marked the node was lost or gave way, or raft refused the removal. Package cluster calls
// FinishRemovals about once a second.
func (g *Group) FinishRemovals() {
	leaving := func() string { return see(g, (*roster.Roster).Leaving) }
	if leaving() == "" || g.current.Load() == 0 {
		return
	}
	_ = g.changeMembers(func() error {
		id := leaving()
		if id == "" {
			return nil // another call has removed it meanwhile
		}
		if err := g.canSpare(id, false); err != nil {
			return err
		}
		return g.complete(id)
	})
}
