package cluster

import "cellserver/store"

// undo is how to take the effects of a batch back.
type undo struct{ rebuild bool }

// add takes what the running transaction has replaced.
func (u *undo) add(*store.Tx, []store.Effect) { u.rebuild = true }

// takeBack removes the effects of batches from the store, whose partitions tx has locked.
func (n *Node) takeBack(tx *store.Tx, dropped []*batch) error {
	for _, b := range dropped {
		if b.undo.rebuild {
			n.counts.undone.Add(int64(b.effects))
			n.log.Info("this node takes back what no other node has", "effects", b.effects)
			return n.rebuild(tx)
		}
	}
	return nil
}
