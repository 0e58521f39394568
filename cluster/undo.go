package cluster

import "cellserver/store"

// takeBack removes effects from the store, whose partitions tx has locked.
func (n *Node) takeBack(tx *store.Tx, effects int) error {
	if effects == 0 {
		return nil
	}
	n.counts.undone.Add(int64(effects))
	n.log.Info("this node takes back what no other node has", "effects", effects)
	return n.rebuild(tx)
}
