package cluster

import (
	"errors"
	"fmt"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// rebuild makes the keyspace again: from the last snapshot, and from the log up to the last applied entry.
// No client may read the keyspace meanwhile.
func (n *Node) rebuild() error {
	n.hide(true)
	defer n.hide(false)
	upTo, now := n.applied.Load(), n.fsm
	from, err := n.loadLastSnapshot()
	if err != nil {
		return err
	}
	for i := from + 1; i <= upTo; i++ {
		var l raft.Log
		if err := n.o.Disk.Logs.GetLog(i, &l); err != nil {
			return fmt.Errorf("entry %d of the log cannot be read again: %w", i, err)
		}
		if err := n.applyAgain(&l); err != nil {
			return fmt.Errorf("entry %d of the log cannot be applied again: %w", i, err)
		}
	}
	n.fsm = now
	n.replaced()
	return nil
}

// applyAgain applies the effects of an entry.
func (n *Node) applyAgain(l *raft.Log) error {
	if l.Type != raft.LogCommand {
		return nil
	}
	e, err := entry.Parse(l.Data)
	if err != nil || !n.hooks.follows(&n.fsm, &e, l.Term) {
		return err
	}
	before := n.fsm.time
	n.fsm.take(&e)
	switch e.Kind {
	case entry.Effects:
		return n.apply.Apply(e.Body, max(0, before-int64(late)))
	case entry.LevelRaised:
		return n.applyLevel(&e)
	}
	return nil
}

// loadLastSnapshot replaces the keyspace by the last snapshot on disk, or empties it if there is none. It
// returns the index of the snapshot.
func (n *Node) loadLastSnapshot() (index uint64, err error) {
	for range 3 { // a newer snapshot may replace the last one meanwhile
		if index, err = n.tryLastSnapshot(); err == nil {
			return index, nil
		}
	}
	return 0, err
}

func (n *Node) tryLastSnapshot() (index uint64, err error) {
	all, err := n.o.Disk.Snapshots.List()
	if err != nil {
		return 0, fmt.Errorf("the snapshots cannot be listed: %w", err)
	}
	n.empty()
	if len(all) == 0 {
		n.fsm = fsmState{}
		return 0, nil
	}
	meta, in, err := n.o.Disk.Snapshots.Open(all[0].ID)
	if err != nil {
		return 0, fmt.Errorf("the last snapshot cannot be opened: %w", err)
	}
	_, err = n.load(in)
	return meta.Index, errors.Join(err, in.Close())
}

// replaced tells the rest of the server that any key may have changed.
func (n *Node) replaced() {
	if n.o.Replaced != nil {
		n.o.Replaced()
	}
}

func everything() *store.Footprint {
	var all store.Footprint
	all.AddAll()
	return &all
}
