package group

import (
	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// ProposeBy makes a node give its entries to raft by a function, which calls apply at once or later, in their order. It must not
// wait.
func (g *Group) ProposeBy(give func(apply func())) { g.hooks.propose = give }

// BeforeSteps sets what a node does before each step of run.
func (g *Group) BeforeSteps(do func()) { g.hooks.run = do }

// TrustDisk makes a node lead for as long as its disk does not answer.
func (g *Group) TrustDisk() { g.hooks.watch = func() {} }

// TrustKeys makes a node take its keys for fresh.
func (g *Group) TrustKeys() { g.fresh.from = 1 << 62 }

// SkipUndo makes a node keep effects that no other node has.
func (g *Group) SkipUndo() { g.hooks.revert = func([]store.Undo) {} }

// KeepBehind sets how many entries remain in the log behind a snapshot.
func (g *Group) KeepBehind(entries uint64) error {
	r := g.raft.Load()
	c := r.ReloadableConfig()
	c.TrailingLogs = entries
	return r.ReloadConfig(c)
}

// TrustVotes makes a node count the vote of a node that was not asked.
func (g *Group) TrustVotes() { g.hooks.voting = func(t raft.Transport) raft.Transport { return t } }

// SkipTerms makes a node apply entries of every term.
func (g *Group) SkipTerms() {
	g.hooks.follows = func(*fsmState, *entry.Entry, uint64) bool { return true }
}

// ApplyAfter makes a node wait before it applies an entry.
func (g *Group) ApplyAfter(wait func()) {
	follows := g.hooks.follows
	g.hooks.follows = func(f *fsmState, e *entry.Entry, term uint64) bool {
		wait()
		return follows(f, e, term)
	}
}

// MarkGone does the first of the two steps in which a leader removes a node.
func (g *Group) MarkGone(id string) error { return g.mark(id) }
