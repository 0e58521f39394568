package cluster

import (
	"cellserver/cluster/entry"
	"cellserver/store"
)

// BeforePropose sets what a node does before it proposes an entry.
func (n *Node) BeforePropose(do func()) { n.hooks.propose = do }

// SkipUndo makes a node keep what no other node has.
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
