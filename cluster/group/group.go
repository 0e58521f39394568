package group

import (
	"cmp"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/roster"
	"cellserver/persistence/aof"

	"github.com/hashicorp/raft"
)

// Group is one group of Raft, as this server takes part in it. It has a log, the keys that the log makes,
// and the changes that wait for a majority. It implements [store.Observer] and
// [transport.Barrier].
type Group struct {
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
	gathering gathering
	epoch     epoch
	queue     queue
	waiters   waiters
	lease     lease
	fresh     fresh
	offered   uint64 // the last term in which the node asked another one to lead
	roster    roster.Roster
	level     uint16        // the feature level of the cluster
	patience  time.Duration // see LimitLease
}

// New returns a node that is not started. Make it an observer of the store before the first transaction.
func New(o Options) *Group {
	o.Window = max(o.Window, 1)
	o.Self.Features = cmp.Or(o.Self.Features, FeatureLevel)
	n := &Group{o: o, log: o.Log, life: life{
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
		gone: make(chan struct{}), changed: make(chan struct{}, 1), members: make(chan struct{}, 1),
	}}
	n.scripts.stop, n.scripts.endAll = o.StopScripts, o.EndScripts
	n.futures = make(chan proposed, o.Window+1)
	n.hooks = hooks{
		follows: (*fsmState).follows, revert: o.Store.Revert, watch: n.watchLog, voting: onlyAsked,
	}
	n.clock.source = o.Clock
	tx := o.Store.NewTx()
	tx.Applied = true
	n.apply = aof.NewBodyApplier(o.Store, tx)
	n.level = OldestFeatureLevel
	n.patience = o.NodeTimeout
	n.roster = roster.New(o.Self)
	n.roster.Expect(o.Listed)
	n.updateView()
	return n
}

// Start loads what the disk has, and takes part in the cluster. A new run does not know to whom the last run
// promised a lease. So the transport must pass no request for a vote on until a NodeTimeout after the end of
// the last run.
func (g *Group) Start() error {
	g.o.Store.Drop() // a node that returns with a new id still has the keys of its previous life
	g.followOwn()
	r, err := raft.NewRaft(raftConfig(g.o.Self.ID, g.o.NodeTimeout, g.log), machine{g}, g.o.Disk.Logs,
		g.o.Disk.Stable, g.o.Disk.Snapshots, g.hooks.voting(g.o.Transport))
	if err != nil {
		return cmp.Or(g.unloaded, err) // raft does not say why a snapshot cannot be loaded
	}
	g.raft.Store(r)
	roster.Watch(r, g.noteSilent)
	if err := g.firstMembers(); err != nil {
		return err
	}
	g.running.Go(g.run)
	l := &listener{raft: r, id: raft.ServerID(g.o.Self.ID), transport: g.o.Transport, nodeTimeout: g.o.NodeTimeout,
		view: g.View, log: g.log}
	g.running.Go(func() { l.listen(g.stop) })
	go g.settle()
	return nil
}

// run begins and ends epochs, and does what is due, until the node stops.
func (g *Group) run() {
	leaderCh := g.raft.Load().LeaderCh()
	for tick := time.Tick(g.o.NodeTimeout / 4); ; {
		if g.hooks.run != nil {
			g.hooks.run()
		}
		g.followRaft()
		g.announceSelf()
		select {
		case <-g.stop:
			g.endEpoch("the node stops")
			return
		case <-leaderCh:
		case <-g.wake:
		case <-tick:
			g.tick()
			g.hooks.watch()
			g.expectOverdue()
			g.scripts.hurry(g.o.Clock.Monotonic())
		}
	}
}

// wakeUp makes run look for work.
func (g *Group) wakeUp() {
	select {
	case g.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Close stops the node at once. Replies that wait are not sent. Close its transport before: raft does not
// abort a message that it sends or receives.
func (g *Group) Close() error {
	g.end.Do(func() { close(g.gone) })
	var err error
	if r := g.raft.Load(); r != nil {
		err = r.Shutdown().Error()
	}
	g.closed.Do(func() { close(g.stop) })
	g.running.Wait()
	return err
}

// await waits for the result of a call to raft, or until the node ends. Raft never answers some calls if it
// is shut down.
func (g *Group) await(f raft.Future) error {
	endWith(f, g.gone)
	result := make(chan error, 1)
	go func() { result <- f.Error() }()
	select {
	case err := <-result:
		return err
	case <-g.gone:
		return errUnknown
	}
}

// errBroken is the error of raft's calls after the node has stopped by itself.
var errBroken = errors.New("this node has stopped: see its log")

// Fail stops the node by itself. A node that goes on after an entry that it cannot apply would differ from
// the others. One of raft's goroutines may be the caller, so another one shuts raft down.
func (g *Group) Fail(err error) {
	if !g.serveNobody(err) {
		return
	}
	g.end.Do(func() { close(g.gone) })
	g.running.Go(func() {
		if r := g.raft.Load(); r != nil {
			_ = r.Shutdown().Error()
		}
	})
}

// serveNobody ends the service for clients. It reports false if it has ended before.
func (g *Group) serveNobody(err error) bool {
	if g.broken.Swap(true) {
		return false
	}
	g.log.Error("this node leaves the cluster because it cannot go on", "error", err)
	g.updateView()
	if g.o.Failed != nil {
		g.o.Failed(err)
	}
	return true
}

// Leave ends the service for clients, and stops the node as Close does. The error says why.
func (g *Group) Leave(why error) error {
	g.serveNobody(why)
	return g.Close()
}

// firstMembers notes who takes part at the start. Raft reports only changes.
func (g *Group) firstMembers() error {
	f := g.raft.Load().GetConfiguration()
	if err := f.Error(); err != nil {
		return err
	}
	g.mu.Lock()
	if !g.roster.Configured() {
		g.roster.Configure(f.Configuration())
	}
	g.mu.Unlock()
	g.updateView()
	return nil
}
