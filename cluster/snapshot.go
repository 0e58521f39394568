package cluster

import (
	"errors"
	"fmt"
	"io"
	"time"

	"cellserver/cluster/image"
	"cellserver/cluster/pending"
	"cellserver/cluster/roster"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// freeze is a leader's snapshot that begins: all partitions are locked until the goroutine that applies entries has
// reached the last effect of the store.
type freeze struct {
	reached chan struct{}        // closed then
	taken   chan *store.Snapshot // gets the snapshot of the store, nil if it was given up
}

// maxFreeze is how long a leader's snapshot may stop commands. Otherwise it is given up.
const maxFreeze = 50 * time.Millisecond

var errBusy = errors.New("the snapshot was given up, because entries took too long to be committed: try again later")

// TakeSnapshot writes a snapshot to the disk, so that the log before it can be removed.
func (n *Node) TakeSnapshot() error {
	r := n.raft.Load()
	if n.current.Load() == 0 {
		return r.Snapshot().Error()
	}
	f := &freeze{make(chan struct{}), make(chan *store.Snapshot, 1)}
	var written raft.SnapshotFuture
	ready := false
	s, err := n.o.Store.Snapshot(n.Horizon(), func() {
		if ready = n.settled(f); ready {
			written = r.Snapshot()
			ready = f.await()
		}
		n.mu.Lock()
		n.freeze = nil
		n.mu.Unlock()
	})
	if err != nil {
		return err
	}
	if !ready {
		s.Close()
		s, err = nil, errBusy
	}
	f.taken <- s
	if written != nil {
		err = errors.Join(err, written.Error())
	}
	return err
}

// settled waits until everything that this node has done is committed. All partitions are locked, so nothing is added.
func (n *Node) settled(f *freeze) bool {
	result := make(chan bool, 1)
	n.mu.Lock()
	n.freeze = f
	serving, empty := n.epoch.serving, n.queue.Empty()
	if serving && !empty {
		n.waiters.Add(pending.Waiter{Need: n.queue.Begun(), Done: func(safe bool) { result <- safe }})
	}
	n.mu.Unlock()
	if !serving || empty {
		return serving
	}
	select {
	case safe := <-result:
		return safe
	case <-time.After(maxFreeze):
		return false
	}
}

// await waits until the goroutine that applies entries has been reached.
func (f *freeze) await() bool {
	select {
	case <-f.reached:
		return true
	case <-time.After(maxFreeze):
		return false
	}
}

// frozen is one snapshot for raft. It implements [raft.FSMSnapshot].
type frozen struct {
	facts image.Facts
	taken chan *store.Snapshot
}

// snapshot is called by raft on the goroutine that applies entries.
func (n *Node) snapshot() (raft.FSMSnapshot, error) {
	if n.broken.Load() {
		return nil, errBroken
	}
	n.mu.Lock()
	f := n.freeze
	n.freeze = nil
	im := &frozen{facts: n.facts()}
	clean := n.queue.Empty()
	n.mu.Unlock()
	if f != nil {
		if !clean {
			return nil, errBusy
		}
		im.taken = f.taken
		close(f.reached)
		return im, nil
	}
	im.taken = make(chan *store.Snapshot, 1)
	s, err := n.o.Store.Snapshot(n.Horizon(), func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		clean = n.queue.Empty()
	})
	if err != nil {
		return nil, err
	}
	if !clean {
		s.Close()
		return nil, errBusy
	}
	im.taken <- s
	return im, nil
}

// facts returns what a snapshot says beside the keys. mu is held.
func (n *Node) facts() image.Facts {
	f := image.Facts{Cluster: n.o.Cluster, Index: n.applied.Load(), Term: n.fsm.term, Batch: n.fsm.batch, Time: n.fsm.time}
	for _, k := range n.roster.Known() {
		if body, err := roster.Encode(k, featureLevel); err == nil {
			f.Nodes = append(f.Nodes, body)
		}
	}
	return f
}

// Persist implements [raft.FSMSnapshot].
func (im *frozen) Persist(sink raft.SnapshotSink) error {
	s := <-im.taken
	im.taken = nil
	if s == nil {
		return errBusy
	}
	return image.Save(sink, s, im.facts)
}

// Release implements [raft.FSMSnapshot].
func (im *frozen) Release() {
	if im.taken == nil {
		return
	}
	if s := <-im.taken; s != nil {
		s.Close()
	}
}

// restore replaces the keyspace by a snapshot that the leader has sent, or that was on disk at the start. Raft calls it on
// the goroutine that applies entries.
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
	n.empty()
	index, err := n.load(in)
	if err != nil {
		n.fail(fmt.Errorf("the snapshot cannot be loaded: empty the directory of this node, and start it again: %w", err))
		return err
	}
	n.applied.Store(index)
	n.clock.log.Store(n.fsm.time)
	n.hide(false)
	n.replaced()
	return nil
}

// load loads a snapshot into the empty store. It returns the index of the last entry before it.
func (n *Node) load(in io.Reader) (index uint64, err error) {
	f, err := image.Load(in, n.o.Store, n.o.Cluster)
	known := roster.New(n.o.Self)
	for _, body := range f.Nodes {
		err = errors.Join(err, known.Note(body))
	}
	if err != nil {
		return 0, err
	}
	n.fsm = fsmState{f.Term, f.Batch, f.Time}
	n.mu.Lock()
	n.roster.Replace(known.Known())
	n.mu.Unlock()
	return f.Index, nil
}

// empty removes all keys. No observer learns of it, so call replaced afterwards.
func (n *Node) empty() {
	tx := n.o.Store.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.Begin(0, 0, everything())
	defer tx.End()
	for db := range n.o.Store.Databases() {
		tx.Select(db)
		tx.Flush()
	}
}
