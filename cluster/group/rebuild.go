package group

import (
	"errors"
	"fmt"

	"cellserver/cluster/entry"

	"github.com/hashicorp/raft"
)

// rebuild makes the keyspace again: from the last snapshot, and from the log up to the last applied entry.
// No client may read the keyspace meanwhile.
func (g *Group) rebuild() error {
	g.hide(true)
	defer g.hide(false)
	now := g.fsm
	if _, err := g.replay(g.applied.Load()); err != nil {
		return err
	}
	g.fsm = now
	g.replaced()
	return nil
}

// replay replaces the keyspace by the last snapshot, and applies the later entries of the log up to an
// index. It returns the index of the last entry that the keyspace has.
func (g *Group) replay(upTo uint64) (last uint64, err error) {
	from, err := g.loadLastSnapshot()
	if err != nil {
		return 0, err
	}
	for i := from + 1; i <= upTo; i++ {
		var l raft.Log
		if err := g.o.Disk.Logs.GetLog(i, &l); err != nil {
			return 0, fmt.Errorf("entry %d of the log cannot be read: %w", i, err)
		}
		if err := g.applyAgain(&l); err != nil {
			return 0, fmt.Errorf("entry %d of the log cannot be applied: %w", i, err)
		}
	}
	return max(from, upTo), nil
}

// applyAgain applies the effects of an entry.
func (g *Group) applyAgain(l *raft.Log) error {
	if l.Type != raft.LogCommand {
		return nil
	}
	e, err := entry.Parse(l.Data)
	if err != nil || !g.hooks.follows(&g.fsm, &e, l.Term) {
		return err
	}
	before := g.fsm.time
	g.fsm.take(&e)
	switch e.Kind {
	case entry.Effects:
		return g.applyEffects(e.Body, max(0, before-int64(late)))
	case entry.LevelRaised:
		return g.applyLevel(&e)
	}
	return nil
}

// loadLastSnapshot replaces the keyspace by the last snapshot on disk, or empties it if there is none. It
// returns the index of the snapshot.
func (g *Group) loadLastSnapshot() (index uint64, err error) {
	for range 3 { // a newer snapshot may replace the last one meanwhile
		if index, err = g.tryLastSnapshot(); err == nil {
			return index, nil
		}
	}
	return 0, err
}

func (g *Group) tryLastSnapshot() (index uint64, err error) {
	all, err := g.o.Disk.Snapshots.List()
	if err != nil {
		return 0, fmt.Errorf("the snapshots cannot be listed: %w", err)
	}
	g.o.Store.Drop()
	g.followOwn()
	if len(all) == 0 {
		g.fsm = fsmState{}
		return 0, nil
	}
	meta, in, err := g.o.Disk.Snapshots.Open(all[0].ID)
	if err != nil {
		return 0, fmt.Errorf("the last snapshot cannot be opened: %w", err)
	}
	_, err = g.load(in)
	return meta.Index, errors.Join(err, in.Close())
}

// replaced tells the rest of the server that any key may have changed.
func (g *Group) replaced() {
	if g.o.Replaced != nil {
		g.o.Replaced()
	}
}
