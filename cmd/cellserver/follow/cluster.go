package follow

import (
	"errors"
	"fmt"

	"cellserver/replica"
	"cellserver/server"
	"cellserver/store"
)

// Cluster is the cluster whose leader follows another server.
type Cluster interface {
	Epoch() uint64
	Now() int64
	// Wait waits until everything that was computed before is safe. It reports false if the epoch has ended.
	Wait(epoch uint64) bool
}

var errLeads = errors.New("ERR only the leader of a cluster follows another server: send REPLICAOF to it")

// Enter implements [commands.Replication].
func (f *Following) Enter(tx *store.Tx, host string, port int) error {
	k, c := readKept(tx), f.o.Cluster
	switch was := k; {
	case c.Epoch() == 0:
		return errLeads
	case host == "" && !was.on():
		return nil
	case host == "":
		if was.Word == copies {
			f.o.Log.Warn("REPLICAOF NO ONE has come before the full copy was whole: the cluster is empty")
			f.flush(tx)
		}
		k = kept{}
	case !was.on() && f.o.Store.Keys() > 0:
		return fmt.Errorf("ERR the cluster holds %d keys, which a full copy would replace: FLUSHALL first",
			f.o.Store.Keys())
	default:
		k.Word = follows
		if was.Word == copies {
			k.Word = copies
		}
		k.Host, k.Port, k.Stopped, k.LeftOut = host, port, "", nil
	}
	k.write(tx)
	f.changes++
	f.o.Server.NobodysTurn()
	f.entered.Store(c.Epoch())
	f.WakeUp() // the link has no turn any more
	return nil
}

// flush removes all keys of clients.
func (f *Following) flush(tx *store.Tx) {
	defer tx.Select(tx.DB())
	for db := range f.o.Store.Databases() {
		if f.o.Store.Len(db) > 0 {
			tx.Select(db)
			tx.Flush()
		}
	}
}

// settle does after [Following.Enter] what waits for a majority. If the epoch ends first, the log says what
// holds. After the wait a majority has what the key said before it. If another REPLICAOF has changed the key
// meanwhile, this one waits again.
func (f *Following) settle() {
	epoch := f.entered.Load()
	for settled := epoch == 0; !settled; {
		before := f.read(nil)
		if !f.o.Cluster.Wait(epoch) {
			return
		}
		settled = f.obey(&before)
	}
}

// Applied follows what the log of the cluster has made of the key. The goroutine that applies entries calls
// it. No change of the key waits for a majority then.
func (f *Following) Applied() {
	for obeyed := false; !obeyed; {
		k := f.read(nil)
		obeyed = f.obey(&k)
	}
}

// obey makes the server read-only because a majority has a key that says so, or ends that. It does nothing,
// and reports false, if the key has changed since a majority had it.
func (f *Following) obey(safe *kept) (done bool) {
	f.applying.Lock()
	defer f.applying.Unlock()
	on, keeps := safe.on(), f.o.Store.KeepsExpired()
	if now := f.read(nil); !now.same(safe) {
		return false
	}
	if !on {
		f.o.Store.KeepExpired(false) // before clients write
	}
	k := f.read(func(k *kept) {
		if done = k.same(safe); done {
			f.o.Server.Move(on, k.Word == copies)
		}
	})
	switch {
	case !done:
		f.o.Store.KeepExpired(keeps)
		return false
	case on:
		f.o.Store.KeepExpired(true)
	}
	if was := f.said.Swap(&k); was == nil || was.on() != on {
		f.o.Server.Moved()
	}
	f.WakeUp()
	return true
}

// read reads the key. It calls do, which may be nil, while the partition of the key is locked.
func (f *Following) read(do func(k *kept)) kept {
	tx := f.o.Store.NewTx()
	tx.KeepExpired = true
	tx.BeginKey(0, store.Own, []byte(followingKey))
	defer tx.End()
	k := readKept(tx)
	k.changes = f.changes
	if do != nil {
		do(&k)
	}
	return k
}

// WakeUp makes a member of a cluster look whom it has to follow: an epoch has begun or ended, or the key has
// changed.
func (f *Following) WakeUp() {
	select {
	case f.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// tend lets this node follow the other server in each of its epochs, until the server stops. It does nothing
// until something changes.
func (f *Following) tend() {
	for {
		f.mu.Lock()
		if f.stopped {
			f.mu.Unlock()
			return
		}
		ended := f.look()
		f.mu.Unlock()
		select {
		case <-f.wake:
		case <-ended:
		}
	}
}

// look begins and ends the link. It returns what closes when the link stops, nil if no link runs. mu is held.
func (f *Following) look() (ended <-chan struct{}) {
	epoch := f.o.Cluster.Epoch()
	link := f.link.Load()
	if link != nil && (f.epoch != epoch || !f.follower.HasTurn()) {
		f.end()
		link = nil
	}
	if link == nil && epoch != 0 {
		link = f.join(epoch)
	}
	if link == nil {
		return nil
	}
	s := link.State()
	if !s.Stopped {
		return link.Done()
	}
	if f.said.Load().Stopped == "" {
		f.noteStop(s)
	}
	return nil
}

// join follows the server of the key, if there is one. mu is held.
func (f *Following) join(epoch uint64) *replica.Link {
	if said := f.said.Load(); !said.on() || said.Stopped != "" {
		return nil
	}
	tx := f.begin(epoch, nil)
	if tx == nil {
		return nil
	}
	defer tx.End()
	k := readKept(tx)
	to := &target{o: &f.o, following: f, epoch: epoch, kept: k}
	to.Follower = f.o.Server.NewFollower(peerOf(&k), "", &server.Keep{
		Epoch: epoch, Key: []byte(followingKey), Text: to.text,
	})
	if !k.on() || k.Stopped != "" || !f.o.Server.TakeTurn(to.Follower) {
		return nil
	}
	if k.Word == copies {
		k.at = replica.Position{}
		f.o.Log.Warn("the last leader has not finished the full copy, so another one begins")
	}
	f.o.Log.Info("the cluster follows another server, and takes no writes until REPLICAOF NO ONE",
		"master", peerOf(&k).address)
	f.epoch = epoch
	f.connect(to, &k, k.at)
	return to.link
}

// noteStop makes the key say why the link has stopped, so that all nodes know it. mu is held.
func (f *Following) noteStop(s replica.State) {
	tx := f.begin(f.epoch, f.follower)
	if tx == nil {
		return
	}
	defer tx.End()
	k := readKept(tx)
	k.Stopped, k.LeftOut = s.Failed, s.LeftOut
	k.write(tx)
	f.said.Store(&k)
}

// begin begins a transaction of an epoch, and of the turn of a follower if it is not nil. It returns nil if
// the epoch or the turn has ended.
func (f *Following) begin(epoch uint64, of *server.Follower) *store.Tx {
	tx := f.o.Store.NewTx()
	tx.KeepExpired = true
	tx.BeginAll(f.o.Cluster.Now(), 0)
	if f.o.Cluster.Epoch() != epoch || of != nil && !of.HasTurn() {
		tx.End()
		return nil
	}
	return tx
}
