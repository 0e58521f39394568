package cluster

import (
	"cmp"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/pending"
	"cellserver/cluster/roster"
	"cellserver/persistence/aof"

	"github.com/hashicorp/raft"
)

// Node is this server as a member of the cluster. It implements [commands.Topology], [store.Observer] and
// [transport.Barrier].
type Node struct {
	o      Options
	log    *slog.Logger
	raft   atomic.Pointer[raft.Raft] // nil until it has started
	apply  *aof.BodyApplier
	counts counts
	clock  clusterClock
	published
	life
	standing
	warned
	hooks hooks    // fixed before the start
	fsm   fsmState // only the goroutine that applies entries uses it
}

// standing is what a node knows of the cluster, and what waits for the others.
type standing struct {
	futures chan proposed

	mu        sync.Mutex // guards the fields below
	gathering pending.Gathering
	epoch     epoch
	queue     pending.Queue
	waiters   pending.Waiters
	lease     lease
	fresh     fresh
	offered   uint64 // the last term in which the node asked another one to lead
	roster    roster.Roster
	level     uint16 // the feature level of the cluster
	hidden    bool   // the keys are incomplete
}

// New returns a node that is not started. Make it an observer of the store before the first transaction.
func New(o Options) *Node {
	o.Window = max(o.Window, 1)
	o.Self.Features = cmp.Or(o.Self.Features, FeatureLevel)
	n := &Node{o: o, log: o.Log, life: life{
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
		gone: make(chan struct{}), changed: make(chan struct{}, 1), members: make(chan struct{}, 1),
	}}
	n.futures = make(chan proposed, o.Window+1)
	n.hooks = hooks{follows: (*fsmState).follows, revert: o.Store.Revert, watch: n.watchLog}
	n.clock.source = o.Clock
	tx := o.Store.NewTx()
	tx.Applied = true
	n.apply = aof.NewBodyApplier(o.Store, tx)
	n.apply.Level = min(n.knows(), aof.BodyLevel)
	n.level = OldestFeatureLevel
	n.queue.SetLevel(n.level)
	n.roster = roster.New(o.Self)
	n.roster.Expect(o.Listed)
	n.updateView()
	return n
}

// Start loads what the disk has, and takes part in the cluster. A new run does not know to whom the last run
// promised a lease. So the transport must pass no request for a vote on until a NodeTimeout after the end of
// the last run.
func (n *Node) Start() error {
	n.empty() // a node that returns with a new id still has the keys of its previous life
	r, err := raft.NewRaft(raftConfig(n.o.Self.ID, n.o.NodeTimeout, n.log), machine{n}, n.o.Disk.Logs, n.o.Disk.Stable, n.o.Disk.Snapshots, n.o.Transport)
	if err != nil {
		return cmp.Or(n.unloaded, err) // raft does not say why a snapshot cannot be loaded
	}
	n.raft.Store(r)
	roster.Watch(r, n.noteSilent)
	if err := n.firstMembers(); err != nil {
		return err
	}
	n.running.Go(n.run)
	l := &listener{raft: r, nodeTimeout: n.o.NodeTimeout, view: n.View, log: n.log}
	n.running.Go(func() { l.listen(n.stop) })
	go n.settle()
	return nil
}

// run begins and ends epochs, and does what is due, until the node stops.
func (n *Node) run() {
	leaderCh := n.raft.Load().LeaderCh()
	ticker := time.NewTicker(n.o.NodeTimeout / 4)
	defer ticker.Stop()
	for {
		if n.hooks.run != nil {
			n.hooks.run()
		}
		n.followRaft()
		n.announceSelf()
		select {
		case <-n.stop:
			n.endEpoch("the node stops")
			return
		case <-leaderCh:
		case <-n.wake:
		case <-ticker.C:
			n.tick()
			n.hooks.watch()
			n.expectOverdue()
		}
	}
}

// wakeUp makes run look for work.
func (n *Node) wakeUp() {
	select {
	case n.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Close stops the node at once. Replies that wait are not sent. Close its transport before: raft does not
// abort a message that it sends or receives.
func (n *Node) Close() error {
	n.end.Do(func() { close(n.gone) })
	var err error
	if r := n.raft.Load(); r != nil {
		err = r.Shutdown().Error()
	}
	n.closed.Do(func() { close(n.stop) })
	n.running.Wait()
	return err
}

// await waits for the result of a call to raft, or until the node ends. Raft never answers some calls if it
// is shut down.
func (n *Node) await(f raft.Future) error {
	endWith(f, n.gone)
	result := make(chan error, 1)
	go func() { result <- f.Error() }()
	select {
	case err := <-result:
		return err
	case <-n.gone:
		return errUnknown
	}
}

// errBroken is the error of raft's calls after the node has stopped by itself.
var errBroken = errors.New("this node has stopped: see its log")

// Fail stops the node by itself. A node that goes on after an entry that it cannot apply would differ from
// the others. One of raft's goroutines may be the caller, so another one shuts raft down.
func (n *Node) Fail(err error) {
	if !n.serveNobody(err) {
		return
	}
	n.end.Do(func() { close(n.gone) })
	n.running.Go(func() {
		if r := n.raft.Load(); r != nil {
			_ = r.Shutdown().Error()
		}
	})
}

// serveNobody ends the service for clients. It reports false if it has ended before.
func (n *Node) serveNobody(err error) bool {
	if n.broken.Swap(true) {
		return false
	}
	n.log.Error("this node leaves the cluster because it cannot go on", "error", err)
	n.updateView()
	if n.o.Failed != nil {
		n.o.Failed(err)
	}
	return true
}

// Leave ends the service for clients, and stops the node as Close does. The error says why.
func (n *Node) Leave(why error) error {
	n.serveNobody(why)
	return n.Close()
}

// firstMembers notes who takes part at the start. Raft reports only changes.
func (n *Node) firstMembers() error {
	f := n.raft.Load().GetConfiguration()
	if err := f.Error(); err != nil {
		return err
	}
	n.mu.Lock()
	if !n.roster.Configured() {
		n.roster.Configure(f.Configuration())
	}
	n.mu.Unlock()
	n.updateView()
	return nil
}
