package cluster

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/internal/topology"
	"cellserver/router"
)

// Member is the life of a node in its cluster. Its methods are safe for concurrent use.
type Member struct {
	o     Options
	log   *slog.Logger
	files atomic.Pointer[disk] // the directory of the present incarnation
	links
	place     place
	vitals    vitals
	group     atomic.Pointer[group.Group] // that this node takes part in; outside until it has its place
	outside   *group.Group                // has no log, and never starts
	snapshots snapshots
	signals
	endings
}

// links is how a member reaches the other nodes.
type links struct {
	dialer    *peer.Dialer
	port      *peer.Port
	sender    *peer.Publisher
	proxy     *router.Relay
	transport *peer.Carrier // nil until the node has its place
	// quiet fires when no node relies on promises of the previous process any more. Until then, the node does
	// not vote.
	quiet *time.Timer
}

// New returns a member that does not listen yet. It returns an error if the secret or the certificates
// cannot be used.
func New(o Options) (*Member, error) {
	m := &Member{o: o, log: o.Log, vitals: vitals{byID: map[string]vital{}}, signals: signals{
		kick: make(chan struct{}, 1), broken: make(chan *disk, 1),
		removed: make(chan string, 1), refused: make(chan error, 1),
	}}
	m.quiet = time.NewTimer(o.NodeTimeout)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.calls, m.hurry = context.WithCancel(m.ctx)
	m.place.init(o.Run, o.List)
	m.files.Store(m.makeDisk())
	m.dialer = &peer.Dialer{Security: o.Security, Cluster: m.place.cluster, Limits: o.Limits, Connect: o.Connect}
	var err error
	if m.port, err = peer.NewPort(m.dialer, service{m}, o.Log); err != nil {
		return nil, err
	}
	m.sender = peer.NewPublisher(m.dialer, o.Scripts)
	m.proxy = router.NewRelay(m.dialer.Forward, max(o.Limits.Forwards, 1))
	m.outside = group.New(group.Options{
		Self: m.nodeAt(o.Run, o.Fallback), Store: o.Store, Clock: o.Clock, Log: m.log, Timing: o.Timing,
	})
	m.group.Store(m.outside)
	return m, nil
}

// makeDisk returns the directory of this node, which is not open yet.
func (m *Member) makeDisk() *disk {
	return &disk{o: m.o.Disk, log: group.NewRaftLog(m.log), failed: m.diskFailed}
}

// disk returns the directory of the present incarnation.
func (m *Member) disk() *disk { return m.files.Load() }

// Serve answers other nodes at a listener until Stop.
func (m *Member) Serve(ln net.Listener) {
	m.serving.Go(func() {
		if err := m.port.Serve(ln); err != nil {
			m.refuse(err)
		}
	})
}

// Start opens the directory, and lets the node get its place. The error says what to do.
func (m *Member) Start() error {
	phase, err := m.disk().open()
	if err != nil {
		return err
	}
	m.place.noteDirectory(phase, &m.disk().identity)
	m.lived = make(chan struct{})
	m.working.Go(func() {
		defer close(m.lived)
		m.live()
	})
	return nil
}

// Refused returns a channel. It gets an error if the process must stop, because only a person can help.
func (m *Member) Refused() <-chan error { return m.refused }

func (m *Member) refuse(err error) {
	select {
	case m.refused <- err:
	default: // one is enough
	}
}

// GiveWay lets another node lead before this one stops, if this one leads. Replies that wait leave first.
// From then on no command of a client waits for another node.
func (m *Member) GiveWay() {
	m.hurry()
	g := m.group.Load()
	if g.Epoch() == 0 {
		return
	}
	for _, id := range m.successors() {
		err := g.GiveWay(id)
		if err == nil || g.Epoch() == 0 && m.leader() != "" {
			return
		}
		m.log.Warn("a node does not take over the lead: another one is asked", "node", id, "reason", err)
	}
}

// successors returns the other voters that answer. The one that has applied the most comes first.
func (m *Member) successors() (ids []string) {
	v := m.View()
	nodes := slices.Clone(v.Nodes)
	slices.SortStableFunc(nodes, func(a, b topology.Node) int { return cmp.Compare(b.Applied, a.Applied) })
	for _, k := range nodes {
		if k.Voter && k.Healthy && k.ID != v.Nodes[v.Self].ID {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// endings are what Stop ends.
type endings struct {
	ctx     context.Context
	cancel  context.CancelFunc
	calls   context.Context // of what clients ask of other nodes; ends before ctx
	hurry   context.CancelFunc
	working sync.WaitGroup // goroutines that end with ctx
	serving sync.WaitGroup // goroutines that end with port
}

// signals are how the goroutines of a member wake each other.
type signals struct {
	lived   chan struct{} // is closed when the life of the node has ended; nil before Start
	broken  chan *disk    // has the disk that has failed; has room for one
	removed chan string   // has the id of this node after the cluster has removed it; has room for one
	kick    chan struct{} // makes join ask the leader; has room for one
	refused chan error    // has room for one: why the process is to stop
}
