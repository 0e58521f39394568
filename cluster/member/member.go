package member

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster"
	"cellserver/cluster/carrier"
	"cellserver/cluster/formation"
	"cellserver/cluster/peer"
	"cellserver/cluster/peer/forward"
	"cellserver/cluster/peer/handshake"
	"cellserver/internal/topology"
	"cellserver/store"
)

// Options are the parts of a Member that the edge provides.
type Options struct {
	List     []formation.Address // cluster-nodes
	Announce formation.Address   // what clients and nodes are to use; a zero field is not set
	TLSPort  int                 // that clients with TLS are to use; 0 for none
	Fallback formation.Address   // own address if no address of List reaches this node; without Host the node finds it out
	Zone     string
	Run      string // a random number of 40 hexadecimal digits
	Release  string // for people

	Disk     DiskOptions
	Store    *store.Store
	Clock    cluster.Clock
	Wall     func() int64 // the clock of the machine in Unix nanoseconds, which the nodes compare; Clock may have a fixed time
	Log      *slog.Logger
	Security *handshake.Security
	Limits   Limits
	// Connect opens a connection to host:port. Nil: TCP.
	Connect func(ctx context.Context, addr string) (net.Conn, error)
	cluster.Timing
	Reads  cluster.Reads
	Growth Growth

	Edge
}

// Limits are the bounds of the port for other nodes.
type Limits = peer.Limits

// Edge is what the rest of the server does for a member. The functions must not wait for the member.
type Edge struct {
	Deliver  func(channel, message []byte) // gives a message to the subscribers of this node
	Changed  func(old, now *topology.View) // follows a change of the cluster; one call at a time
	Replaced func()                        // any key may have changed
	Failed   func(reason error)            // the node takes no part any more; nil: it takes part again
}

// Member is the life of a node in its cluster. Its methods are safe for concurrent use.
type Member struct {
	o      Options
	log    *slog.Logger
	dialer *peer.Dialer
	port   *peer.Port
	sender *peer.Publisher
	proxy  *forward.Proxy
	quiet  *time.Timer          // fires when no node relies on promises of the previous process any more; until then, no vote
	files  atomic.Pointer[disk] // the directory of the present incarnation
	place  place
	vitals vitals

	outside   *topology.View               // the cluster as clients see it before the node has its place
	node      atomic.Pointer[cluster.Node] // nil until the node has its place
	lived     chan struct{}                // is closed when the life of the node has ended; nil before Start
	removed   chan string                  // has the id of this node after the cluster has removed it; has room for one
	transport *carrier.Carrier             // nil until the node has its place
	kick      chan struct{}                // makes join ask the leader; has room for one
	refused   chan error                   // has room for one: why the process is to stop
	snapshots snapshots

	ctx     context.Context
	cancel  context.CancelFunc
	calls   context.Context // of what clients ask of other nodes; ends before ctx
	hurry   context.CancelFunc
	working sync.WaitGroup // goroutines that end with ctx
	serving sync.WaitGroup // goroutines that end with port
}

// New returns a member that does not listen yet. It returns an error if the secret or the certificates cannot be used.
func New(o Options) (*Member, error) {
	m := &Member{
		o: o, log: o.Log, quiet: time.NewTimer(o.NodeTimeout),
		kick: make(chan struct{}, 1), removed: make(chan string, 1), refused: make(chan error, 1),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.calls, m.hurry = context.WithCancel(m.ctx)
	m.place.init(o.Run, o.List)
	m.newDisk()
	m.dialer = &peer.Dialer{Security: o.Security, Cluster: m.place.cluster, Limits: o.Limits, Connect: o.Connect}
	var err error
	if m.port, err = peer.NewPort(m.dialer, service{m}, o.Log); err != nil {
		return nil, err
	}
	m.sender = peer.NewPublisher(m.dialer)
	m.proxy = forward.New(m.dialLeader, max(o.Limits.Forwards, 1))
	m.outside = &topology.View{
		Nodes: []topology.Node{m.nodeAt(o.Run, o.Fallback)}, State: topology.Joining,
		Groups: []topology.Group{{Last: store.Slots - 1, Leader: -1}},
	}
	return m, nil
}

// newDisk begins with the directory of the next incarnation.
func (m *Member) newDisk() {
	d := &disk{o: m.o.Disk, log: cluster.NewRaftLog(m.log)}
	d.failed = func(err error) {
		if m.disk() == d {
			m.diskFailed(err)
		}
	}
	m.files.Store(d)
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
	m.place.begin(phase, &m.disk().identity)
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

// GiveWay lets another node lead before this one stops, if this one leads. Replies that wait leave first. From then on
// no command of a client waits for another node.
func (m *Member) GiveWay() {
	m.hurry()
	n := m.node.Load()
	if n == nil || n.Epoch() == 0 {
		return
	}
	for _, id := range m.successors() {
		err := n.GiveWay(id)
		if err == nil || n.Epoch() == 0 && m.leader() != "" {
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
