package cluster

import (
	"cellserver/cluster/entry"
	"cellserver/store"
)

// ProposeBy makes a node give its entries to raft by a function, which calls apply at once or later, in their order. It must not
// wait.
func (n *Node) ProposeBy(give func(apply func())) { n.hooks.propose = give }

// BeforeSteps sets what a node does before each step of run.
func (n *Node) BeforeSteps(do func()) { n.hooks.run = do }

// TrustDisk makes a node lead for as long as its disk does not answer.
func (n *Node) TrustDisk() { n.hooks.watch = func() {} }

// TrustKeys makes a node take its keys for fresh.
func (n *Node) TrustKeys() { n.fresh.from = 1 << 62 }

// SkipUndo makes a node keep effects that no other node has.
func (n *Node) SkipUndo() { n.hooks.revert = func([]store.Undo) {} }

// KeepBehind sets how many entries remain in the log behind a snapshot.
func (n *Node) KeepBehind(entries uint64) error {
	r := n.raft.Load()
	c := r.ReloadableConfig()
	c.TrailingLogs = entries
	return r.ReloadConfig(c)
}

// SkipTerms makes a node apply entries of every term.
func (n *Node) SkipTerms() {
	n.hooks.follows = func(*fsmState, *entry.Entry, uint64) bool { return true }
}

// MarkGone does the first of the two steps in which a leader removes a node.
func (n *Node) MarkGone(id string) error { return n.mark(id) }
