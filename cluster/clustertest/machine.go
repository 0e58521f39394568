package clustertest

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/raftlog"
	_ "cellserver/commands/all" // the server has every command
	"cellserver/internal/config/configload"
	"cellserver/internal/topology"
	"cellserver/persistence/fs/fstest"
	"cellserver/server"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// The timing of all machines.
const (
	nodeTimeout = 500 * time.Millisecond
	maxSkew     = 500 * time.Millisecond
)

// Machine is one node with its server, its clock and its disk.
type Machine struct {
	Self    topology.Node
	cluster *Cluster
	disk    *Disk
	clock   machineClock
	running atomic.Pointer[process]

	level    atomic.Int64 // the feature level that the installed program knows
	replaced atomic.Int64 // how often a node has replaced all its keys
}

// process is one run of the server on a machine.
type process struct {
	node      *group.Group
	server    *server.Server
	store     *store.Store
	transport *Transport
	stop      chan struct{}
	failed    atomic.Pointer[error]
}

// machineClock is the time of a machine: the virtual time plus the error of the machine's clock. It
// implements [group.Clock].
type machineClock struct {
	now     func() time.Time
	started time.Time
	skew    atomic.Int64
	held    atomic.Int64 // Now is at least so long after started
	frozen  bool
}

func (c *machineClock) elapsed() int64 { return int64(c.now().Sub(c.started)) }

// wall returns the time that the clock of the machine shows.
func (c *machineClock) wall() int64 { return servertest.Start + c.elapsed() + c.skew.Load() }

// Now implements [group.Clock].
func (c *machineClock) Now() int64 { return max(c.wall(), c.held.Load()+c.elapsed()) }

// stepLimit is the default of clock-step-limit.
const stepLimit = 10 * time.Second

// Continue implements [group.Clock].
func (c *machineClock) Continue(at int64) (gap int64) {
	c.held.Store(0)
	if gap = at - c.wall(); gap <= int64(stepLimit) {
		return 0
	}
	c.held.Store(at - c.elapsed())
	return gap
}

// Monotonic implements [group.Clock].
func (c *machineClock) Monotonic() int64 {
	if c.frozen {
		return 0
	}
	return c.elapsed()
}

// serverClock is the clock of the commands of a process. It implements [commands.Clock].
type serverClock struct {
	node *group.Group
	of   *machineClock
}

func (c serverClock) Now() int64           { return c.node.Now() }
func (c serverClock) Monotonic() int64     { return c.of.Monotonic() }
func (c serverClock) Read() (int64, int64) { return c.Now(), c.Monotonic() }
func (c serverClock) Until(at int64) int64 { return at - c.Now() }
func (c serverClock) Steps() (a, b int64)  { return 0, 0 }
func (c serverClock) Set(int64)            {}
func (c serverClock) Advance(int64)        {}
func (c serverClock) Resume()              {}
func (c serverClock) Step(int64)           {}

// topologyOf is the cluster as commands see it. It implements [commands.Topology].
type topologyOf struct{ *group.Group }

// Meet refuses: [Cluster.Meet] adds a machine.
func (topologyOf) Meet(topology.Address) error { return errDown }

// Failover refuses: tests make the leader give way.
func (topologyOf) Failover() error { return errDown }

// ReadsWait implements [server.Positions].
func (topologyOf) ReadsWait() bool { return true }

// Publish sends nothing: the machines have no subscribers.
func (topologyOf) Publish(_ bool, _, _ []byte) {}

func newMachine(c *Cluster, i int) *Machine {
	id := sha1.Sum(fmt.Append(nil, "node", i))
	m := &Machine{
		Self: topology.Node{ID: hex.EncodeToString(id[:]), Host: fmt.Sprint("node",
			i), Port: 6379, PeerPort: 16379, Features: group.FeatureLevel},
		cluster: c, disk: NewDisk(c.o.Files, c.o.Unsynced),
	}
	m.Install(cmp.Or(c.o.Level, group.FeatureLevel))
	m.clock.now, m.clock.started, m.clock.frozen = c.o.Now, c.o.Now(), c.o.FrozenClocks
	return m
}

// Addr returns raft's address of the machine.
func (m *Machine) Addr() raft.ServerAddress {
	return raft.ServerAddress(fmt.Sprint(m.Self.Host, ":", m.Self.PeerPort))
}

// options returns the options of the node.
func (m *Machine) options(s *store.Store, t raft.Transport, d group.Disk, failed func(error)) group.Options {
	self := m.Self
	self.Features = int(m.level.Load())
	return group.Options{
		Self: self, Cluster: [20]byte{1}, Store: s, Disk: d, Transport: t,
		Applied: m.cluster.applied,
		Clock:   &m.clock, Log: m.cluster.log.With("node",
			m.Self.Host), Reads: m.cluster.o.Reads, Failed: failed,
		Replaced: func() { m.replaced.Add(1) },
		Timing:   group.Timing{NodeTimeout: nodeTimeout, Window: m.cluster.o.Window, MaxSkew: maxSkew},
	}
}

// bootstrap makes the machine a member of a new cluster.
func (m *Machine) bootstrap(members []topology.Node) error {
	t := m.cluster.Network.Join(m.Addr(), nil)
	defer t.Leave()
	d, err := m.disk.parts(func(error) {})
	if err != nil {
		return err
	}
	defer m.disk.crash(nil)
	return group.Bootstrap(m.options(nil, t, d, nil), members)
}

// Start starts the server.
func (m *Machine) Start() error {
	cfg, _, err := configload.Load(append([]string{"--databases", "4", "--cluster-enabled", "yes"}, m.cluster.o.Directives...), nil, nil)
	if err != nil {
		return err
	}
	p := &process{stop: make(chan struct{})}
	p.store = store.New(store.Options{Databases: cfg.Databases, Seed: 1})
	disk, err := m.disk.parts(func(err error) { p.node.Fail(err) })
	if err != nil {
		return err
	}
	p.transport = m.cluster.Network.Join(m.Addr(), disk.Logs.(*raftlog.Joined))
	o := m.options(p.store, p.transport, disk, func(err error) { p.failed.Store(&err) })
	o.Epoch = func(begun bool) { p.server.EpochChanged(begun) }
	p.node = group.New(o)
	if prepare := m.cluster.o.Prepare; prepare != nil {
		prepare(p.node)
	}
	p.store.Observe(p.node)
	p.server = server.New(server.Options{
		Store: p.store, Clock: serverClock{p.node, &m.clock}, Log: slog.New(slog.DiscardHandler), Config: cfg,
		RunID: m.Self.ID, Persistence: &servertest.Disk{}, Positions: topologyOf{p.node},
		Others: server.Others{Topology: topologyOf{p.node}},
	})
	if err := p.node.Start(); err != nil {
		p.transport.Leave()
		return errors.Join(err, p.node.Close())
	}
	m.running.Store(p)
	go p.follow()
	go p.sweep()
	go m.attend(p)
	return nil
}

// follow tells the server each change of the cluster, as package cluster does.
func (p *process) follow() {
	for old := p.node.View(); ; {
		select {
		case <-p.stop:
			return
		case <-p.node.Changed():
		}
		now := p.node.View()
		p.server.ViewChanged(old, now)
		old = now
	}
}

// sweep removes expired keys in the background, as the edge does.
func (p *process) sweep() {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	cursor := store.SweepCursor{Applied: true}
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.store.Sweep(p.node.Horizon(), &cursor, 100)
		}
	}
}

// attend compares the clocks of the machines that can be reached, announces them, raises the feature level
// and completes removals, as the edge does.
func (m *Machine) attend(p *process) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
		var skews []group.Skew
		for _, other := range m.cluster.Machines {
			node := other.Group()
			if other != m && node != nil && !m.cluster.Network.isCut(link{m.Addr(), other.Addr()}) {
				skews = append(skews, group.Skew{ID: node.Self().ID,
					By: time.Duration(other.clock.wall() - m.clock.wall())})
				p.announce(node)
			}
		}
		m.hearLeader(p)
		p.node.CheckClocks(skews)
		p.node.FinishRemovals()
		p.node.FollowReleases()
	}
}

// hearLeader asks the leader what it has applied, if messages go both ways.
func (m *Machine) hearLeader(p *process) {
	for _, other := range m.cluster.Machines {
		there, n := other.running.Load(), m.cluster.Network
		cut := n.isCut(link{m.Addr(), other.Addr()}) || n.isCut(link{other.Addr(), m.Addr()})
		if other == m || there == nil || cut || there.transport.isPaused() {
			continue
		}
		if there.node.Epoch() != 0 && there.node.View().State == topology.OK {
			p.node.LeaderStood(there.node.Applied(), m.clock.Monotonic())
		}
	}
}

// announce announces a member whose level or addresses have changed, if this process leads.
func (p *process) announce(node *group.Group) {
	known := node.Self()
	if p.node.Epoch() != 0 && p.node.View().Find(known.ID) >= 0 && !p.node.Knows(known) {
		_ = p.node.Announce(known) // the next leader tries again
	}
}

// Install sets the feature level that the next process of the machine knows.
func (m *Machine) Install(level int) { m.level.Store(int64(level)) }

// Group returns the node, nil if the machine does not run.
func (m *Machine) Group() *group.Group {
	if p := m.running.Load(); p != nil {
		return p.node
	}
	return nil
}

// Store returns the store of a machine that runs.
func (m *Machine) Store() *store.Store { return m.running.Load().store }

// SetSkew sets how far the clock of the machine is wrong.
func (m *Machine) SetSkew(skew time.Duration) { m.clock.skew.Store(int64(skew)) }

// Pause stops the messages of the machine, or lets them go on.
func (m *Machine) Pause(paused bool) {
	if p := m.running.Load(); p != nil {
		p.transport.Pause(paused)
	}
}

// Replaced returns how often the nodes of the machine have replaced all their keys.
func (m *Machine) Replaced() int64 { return m.replaced.Load() }

// Snapshots returns how many snapshots the disk has got.
func (m *Machine) Snapshots() int {
	m.disk.snapshots.mu.Lock()
	defer m.disk.snapshots.mu.Unlock()
	return m.disk.snapshots.made
}

// Leads reports whether the machine leads.
func (m *Machine) Leads() bool {
	n := m.Group()
	return n != nil && n.Epoch() != 0
}

// AskToLead asks another machine to lead, as raft does it for a leader that gives way.
func (m *Machine) AskToLead(other *Machine) error {
	header := raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(m.Self.ID), Addr: []byte(m.Addr())}
	return m.running.Load().transport.TimeoutNow("", other.Addr(), &raft.TimeoutNowRequest{RPCHeader: header},
		&raft.TimeoutNowResponse{})
}

// Kill ends the process, as kill -9 does. The disk has everything that was written.
func (m *Machine) Kill() error { return m.crash(nil) }

// PowerCut ends the process, and r says what remains of the bytes that were not synced.
func (m *Machine) PowerCut(r *rand.Rand) error { return m.crash(r) }

func (m *Machine) crash(r *rand.Rand) error {
	p := m.running.Swap(nil)
	if p == nil {
		return nil
	}
	m.disk.crash(r) // what the process writes from now on is lost
	p.transport.Leave()
	close(p.stop)
	return p.node.Close()
}

// FillDisk makes writes of the log fail, or lets them work again. The log must have files.
func (m *Machine) FillDisk(full bool) { m.disk.full.Store(full) }

// HangDisk makes changes of the log, the term and the vote wait, or lets them go on.
func (m *Machine) HangDisk(hangs bool) { m.disk.hangs.Store(hangs) }

// LoseDisk gives a machine that does not run an empty disk, and so a new id. Its address stays.
func (m *Machine) LoseDisk() {
	id := sha1.Sum([]byte(m.Self.ID))
	m.Self.ID = hex.EncodeToString(id[:])
	m.disk = NewDisk(m.cluster.o.Files, m.cluster.o.Unsynced)
}

// Files returns the files of the disk. The log must have files.
func (m *Machine) Files() *fstest.Memory { return m.disk.files }

// TrustLog makes the machine start with a log that lacks acknowledged entries. A node without this fault
// refuses it.
func (m *Machine) TrustLog() { m.disk.trusted = true }

// Failure returns why the node has stopped by itself, or nil.
func (m *Machine) Failure() error {
	if p := m.running.Load(); p != nil {
		if err := p.failed.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Stop ends the process as planned.
func (m *Machine) Stop() error {
	p := m.running.Load()
	if p == nil {
		return nil
	}
	if p.node.Epoch() != 0 && len(p.node.View().Nodes) > 1 {
		_ = p.node.GiveWay("") // without a successor it stops while it leads
	}
	err := p.node.Close()
	m.running.Store(nil)
	m.disk.crash(nil)
	p.transport.Leave()
	close(p.stop)
	return err
}

// Restart starts a machine again that was killed or stopped. It first waits until nobody relies on its
// promises.
func (m *Machine) Restart() error {
	time.Sleep(nodeTimeout)
	return m.Start()
}
