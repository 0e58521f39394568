package cluster

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"cellserver/persistence/rdb"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// A snapshot is an RDB file with facts about the cluster. So any Redis loads it.
const (
	factCluster = "cl-cluster" // the id of the cluster
	factGroups  = "cl-groups"
	factEntry   = "cl-entry" // term, number, time and index of the last entry
	factNode    = "cl-node"  // a node as in an entry, once for each
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
	frozen := false
	s, err := n.o.Store.Snapshot(n.Horizon(), func() {
		if frozen = n.settled(f); frozen {
			written = r.Snapshot()
			frozen = f.await()
		}
		n.mu.Lock()
		n.freeze = nil
		n.mu.Unlock()
	})
	if err != nil {
		return err
	}
	if !frozen {
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
	serving, empty := n.epoch.serving, len(n.queue.batches) == 0
	if serving && !empty {
		n.waiters.add(waiter{need: n.queue.begun.Load(), done: func(safe bool) { result <- safe }})
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

// image is one snapshot for raft. It implements [raft.FSMSnapshot].
type image struct {
	facts []rdb.Fact
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
	im := &image{facts: n.facts()}
	clean := len(n.queue.batches) == 0
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
		clean = len(n.queue.batches) == 0
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
func (n *Node) facts() []rdb.Fact {
	facts := []rdb.Fact{
		{Name: factCluster, Value: hex.EncodeToString(n.o.Cluster[:])}, {Name: factGroups, Value: "1"},
		{Name: factEntry, Value: fmt.Sprint(n.fsm.term, " ", n.fsm.batch, " ", n.fsm.time, " ", n.applied.Load())},
	}
	for _, k := range n.members.known {
		if text, err := encode(k); err == nil {
			facts = append(facts, rdb.Fact{Name: factNode, Value: string(text)})
		}
	}
	return facts
}

// Persist implements [raft.FSMSnapshot].
func (im *image) Persist(sink raft.SnapshotSink) error {
	s := <-im.taken
	im.taken = nil
	if s == nil {
		return errBusy
	}
	return rdb.Save(sink, s, rdb.SaveOptions{Facts: im.facts})
}

// Release implements [raft.FSMSnapshot].
func (im *image) Release() {
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
	n.queue.drop()
	n.hidden = true
	n.mu.Unlock()
	n.updateView()
	tx.End()
	ended.answer(false)
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
	known := members{}
	known.init(n.o.Self)
	n.fsm = fsmState{}
	var wrong error
	_, err = rdb.Load(in, n.o.Store, rdb.LoadOptions{KeepExpired: true, Options: rdb.Options{Aux: func(name, value string) {
		var err error
		switch name {
		case factCluster:
			if value != hex.EncodeToString(n.o.Cluster[:]) {
				err = fmt.Errorf("it is of cluster %s, and this node of cluster %x", value, n.o.Cluster)
			}
		case factGroups:
			if value != "1" {
				err = fmt.Errorf("it has %s groups, and this server knows clusters of one group", strconv.Quote(value))
			}
		case factEntry:
			_, err = fmt.Sscan(value, &n.fsm.term, &n.fsm.batch, &n.fsm.time, &index)
		case factNode:
			err = known.note([]byte(value))
		}
		wrong = errors.Join(wrong, err)
	}}})
	if err = errors.Join(wrong, err); err != nil {
		return 0, err
	}
	n.mu.Lock()
	n.members.known = known.known
	n.mu.Unlock()
	return index, nil
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
