package group

import (
	"errors"
	"io"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"

	"github.com/hashicorp/raft"
)

// ErrBusy means that no snapshot is possible at this moment.
var ErrBusy = errors.New("another snapshot runs, the keys are being loaded, or a database is being " +
	"emptied: " +
	"take the snapshot again later")

// snapshot returns the keys of this moment. Raft calls it on the goroutine that applies entries. The store
// also has changes that are not committed. The snapshot must not have them: the undos say what these keys
// held before.
func (g *Group) snapshot() (raft.FSMSnapshot, error) {
	if g.broken.Load() {
		return nil, errBroken
	}
	f, possible := &frozen{gone: g.gone, now: g.o.Clock.Monotonic}, false
	s, err := g.o.Store.Snapshot(g.Horizon(), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		f.facts = g.facts()
		f.undo, possible = g.queue.committed()
	})
	if err == nil && !possible {
		s.Close()
		err = ErrBusy
	}
	if err != nil {
		g.busy.Store(true) // raft does not pass errors on
		return nil, err
	}
	f.store = s
	return f, nil
}

// facts returns the contents of a snapshot besides the keys. mu is held.
func (g *Group) facts() entry.Facts {
	f := entry.Facts{Cluster: g.o.Cluster, Index: g.applied.Load(), Term: g.fsm.term, Batch: g.fsm.batch,
		Time: g.fsm.time, Level: g.level}
	for _, k := range g.roster.Known() {
		if body, err := roster.Encode(k); err == nil {
			f.Nodes = append(f.Nodes, body)
		}
	}
	f.Gone = g.roster.Gone()
	return f
}

// restore replaces the keyspace by a snapshot that the leader has sent, or that was on disk at the start.
// Raft calls it on the goroutine that applies entries.
func (g *Group) restore(in io.Reader) error {
	if g.broken.Load() {
		return errBroken
	}
	tx := g.lockAll()
	g.mu.Lock()
	ended, served := g.stopServing()
	g.queue.drop()
	g.hidden.Store(true)
	g.mu.Unlock()
	g.updateView()
	tx.End()
	ended.answer(false)
	if served {
		g.o.tellEpoch(false)
	}
	g.o.Store.KeepUndo(false)
	g.o.Store.Drop() // no observer learns of it: replaced follows
	f, err := g.load(untilEnd{in, g.o.Ending})
	if err == nil {
		g.mu.Lock()
		err = errors.Join(g.roster.Replace(f.Nodes, f.Gone), g.roster.Resume(g.o.Disk.Snapshots))
		g.mu.Unlock()
	}
	switch {
	case errors.Is(err, errEnding):
		g.broken.Store(true) // the next start loads the snapshot, which is on disk
		return err
	case err != nil:
		g.unloaded = whyUnloaded(err)
		g.Fail(g.unloaded)
		return err
	}
	g.applied.Store(f.Index)
	g.clock.log.Store(g.fsm.time)
	g.replaced()
	g.hide(false)
	return nil
}

var errEnding = errors.New("the node stops")

// untilEnd is a snapshot that nobody needs as soon as the process is about to stop.
type untilEnd struct {
	io.Reader
	ending <-chan struct{}
}

func (u untilEnd) Read(p []byte) (int, error) {
	select {
	case <-u.ending:
		return 0, errEnding
	default:
		return u.Reader.Read(p)
	}
}

// load loads a snapshot into the empty store. It leaves the roster as it is.
func (g *Group) load(in io.Reader) (f entry.Facts, err error) {
	f, err = entry.LoadImage(in, g.o.Store, g.o.Cluster)
	g.followOwn()
	if f.Level != 0 {
		err = errors.Join(g.follow(f.Level), err)
	}
	if err == nil {
		g.fsm = fsmState{f.Term, f.Batch, f.Time}
	}
	return f, err
}
