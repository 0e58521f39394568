package cluster

import (
	"errors"
	"io"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// TakeSnapshot writes a snapshot to the disk, so that the log before it can be removed.
func (n *Node) TakeSnapshot() error {
	err := n.await(n.raft.Load().Snapshot())
	if n.busy.Swap(false) && err != nil {
		return ErrBusy
	}
	return err
}

// ErrBusy means that no snapshot is possible at this moment.
var ErrBusy = errors.New("another snapshot runs, or a database is being emptied: take the snapshot again later")

// snapshot returns the keys of this moment. Raft calls it on the goroutine that applies entries. The store
// also has changes that are not committed. The snapshot must not have them: the undos say what these keys
// held before.
func (n *Node) snapshot() (raft.FSMSnapshot, error) {
	if n.broken.Load() {
		return nil, errBroken
	}
	f, possible := &frozen{gone: n.gone, now: n.o.Clock.Monotonic}, false
	s, err := n.o.Store.Snapshot(n.Horizon(), func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		f.facts = n.facts()
		f.undo, possible = n.queue.Committed()
	})
	if err == nil && !possible {
		s.Close()
		err = ErrBusy
	}
	if err != nil {
		n.busy.Store(true) // raft does not pass errors on
		return nil, err
	}
	f.store = s
	return f, nil
}

// facts returns the contents of a snapshot besides the keys. mu is held.
func (n *Node) facts() entry.Facts {
	f := entry.Facts{Cluster: n.o.Cluster, Index: n.applied.Load(), Term: n.fsm.term, Batch: n.fsm.batch, Time: n.fsm.time, Level: n.level}
	for _, k := range n.roster.Known() {
		if body, err := roster.Encode(k); err == nil {
			f.Nodes = append(f.Nodes, body)
		}
	}
	f.Gone = n.roster.Gone()
	return f
}

// restore replaces the keyspace by a snapshot that the leader has sent, or that was on disk at the start.
// Raft calls it on the goroutine that applies entries.
func (n *Node) restore(in io.Reader) error {
	if n.broken.Load() {
		return errBroken
	}
	tx := n.lockAll()
	n.mu.Lock()
	ended, _ := n.stopServing()
	n.queue.Drop()
	n.hidden = true
	n.mu.Unlock()
	n.updateView()
	tx.End()
	ended.Answer(false)
	n.o.Store.KeepUndo(false)
	n.empty()
	index, err := n.load(in)
	err = errors.Join(err, n.roster.Resume(&n.mu, n.o.Disk.Snapshots))
	if err != nil {
		n.unloaded = whyUnloaded(err)
		n.Fail(n.unloaded)
		return err
	}
	n.applied.Store(index)
	n.clock.log.Store(n.fsm.time)
	n.replaced()
	n.hide(false)
	return nil
}

// load loads a snapshot into the empty store. It returns the index of the last entry before it.
func (n *Node) load(in io.Reader) (index uint64, err error) {
	f, err := entry.LoadImage(in, n.o.Store, n.o.Cluster)
	if f.Level != 0 {
		err = errors.Join(n.follow(f.Level), err)
	}
	known := roster.New(n.o.Self)
	for _, body := range f.Nodes {
		err = errors.Join(err, known.Note(body))
	}
	if err != nil {
		return 0, err
	}
	n.fsm = fsmState{f.Term, f.Batch, f.Time}
	n.mu.Lock()
	n.roster.Replace(known.Known(), f.Gone)
	n.mu.Unlock()
	return f.Index, nil
}

// empty removes all keys. No observer learns of it, so call replaced afterwards.
func (n *Node) empty() {
	tx := n.o.Store.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.Begin(0, 0, everything())
	defer tx.End()
	for db := store.Own; db < n.o.Store.Databases(); db++ {
		tx.Select(db)
		tx.Flush()
	}
}
