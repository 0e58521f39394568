package follow

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/internal/config"
	"cellserver/persistence"
	"cellserver/replica"
	"cellserver/server"
	"cellserver/store"
)

// Options are the parts of the server that follows.
type Options struct {
	Store  *store.Store
	Server *server.Server
	Disk   *persistence.Manager
	Clock  replica.Clock
	Log    *slog.Logger
	// Dial opens a connection to the master.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Cluster is nil if the server is alone.
	Cluster Cluster
}

// Following is what this server does as a replica of another one. It implements [commands.Replication].
type Following struct {
	o Options

	link atomic.Pointer[replica.Link] // nil if the server follows nobody

	mu       sync.Mutex // guards the fields below; held while the server begins or ends to follow
	follower *server.Follower
	begun    bool // Start was called
	stopped  bool // the server stops
	ofMember
}

// ofMember is what a member of a cluster has besides.
type ofMember struct {
	epoch    uint64               // of the link; guarded by mu
	said     atomic.Pointer[kept] // what the key said last; nil if the server is alone
	entered  atomic.Uint64        // the epoch of the last REPLICAOF
	changes  uint64               // how often REPLICAOF has changed the key; guarded by its partition
	applying sync.Mutex           // held while the server follows what the key says
	wake     chan struct{}        // makes tend look; has room for one
}

// Init passes the parts. It is called once, before any other method.
func (f *Following) Init(o Options) { f.o, f.wake = o, make(chan struct{}, 1) }

// Start follows the server of the configuration, or the one that this server followed when it stopped. It is
// called when the keys are loaded, before clients may use them.
func (f *Following) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun || f.o.Server.Replication() == nil {
		return
	}
	f.begun = true
	if f.o.Cluster != nil {
		go f.tend()
		return
	}
	host, port := f.o.Server.Config().Replication.Address()
	last := f.read(nil)
	switch same := host == last.Host && port == last.Port; {
	case last.Word == hasLeft && same:
		f.o.Log.Warn("replicaof of the configuration has no effect, because REPLICAOF NO ONE has ended it: "+
			"remove the directive, or send CONFIG REWRITE", "master", peerOf(&last).address)
		f.o.Server.SetFollower(nil)
		return
	case host == "" && !last.on():
		return
	case host == "":
		host, port = last.Host, last.Port
	}
	if last.at.ID == "" && last.on() {
		f.o.Log.Warn("the server did not stop in order while it followed, so it takes a full copy again")
	}
	f.follow(host, port, last.at)
}

// keep writes the key.
func (f *Following) keep(k kept) {
	tx := f.o.Store.NewTx()
	tx.BeginKey(f.o.Clock.Now(), store.Own, []byte(followingKey))
	defer tx.End()
	k.write(tx)
}

// Follow implements [commands.Replication].
func (f *Following) Follow(host string, port int) {
	if f.o.Cluster != nil {
		f.settle()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		f.follow(host, port, f.end())
	}
}

// follow begins to follow another server.
func (f *Following) follow(host string, port int, from replica.Position) {
	k := kept{Word: follows, Host: host, Port: port}
	f.keep(k)
	f.o.Log.Info("this server follows another one, and takes no writes until REPLICAOF NO ONE",
		"master", peerOf(&k).address)
	to := &target{o: &f.o, Follower: f.o.Server.NewFollower(peerOf(&k), fmt.Sprint(host, " ", port), nil)}
	f.o.Server.SetFollower(to.Follower)
	f.connect(to, &k, from)
}

// connect begins the link to the server of the key. mu is held.
func (f *Following) connect(to *target, k *kept, from replica.Position) {
	f.follower = to.Follower
	cfg, address := f.o.Server.Config, peerOf(k).address
	of := func() *config.Replication { return &cfg().Replication }
	to.link = replica.New(replica.Options{
		Host: k.Host, Port: k.Port, ListeningPort: cfg().Port, From: from, LeftOut: k.LeftOut,
		Dial:       func(ctx context.Context) (net.Conn, error) { return f.o.Dial(ctx, address) },
		Auth:       func() (user, password string) { return of().User, of().Password },
		Timeout:    func() time.Duration { return time.Duration(of().Timeout) * time.Second },
		MaxCommand: int(cfg().ClientQueryBufferLimit),
		Clock:      f.o.Clock, Log: f.o.Log, Target: to,
	})
	f.link.Store(to.link)
	to.link.Start()
}

// end ends the link, and returns where it has ended. mu is held.
func (f *Following) end() (at replica.Position) {
	link := f.link.Load()
	if link == nil {
		return at
	}
	link.Close()
	at = link.State().Position
	f.follower.Close()
	f.link.Store(nil)
	f.follower = nil
	return at
}

// Leave implements [commands.Replication].
func (f *Following) Leave() {
	if f.o.Cluster != nil {
		f.settle()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	was, follows := f.State()
	if !follows || f.stopped {
		return
	}
	at := f.end()
	f.keep(kept{Word: hasLeft, Host: was.Host, Port: was.Port})
	f.o.Disk.Journal().Sync() // no crash from now on makes the server follow again
	f.o.Server.SetFollower(nil)
	f.o.Log.Info("this server follows nobody any more, and takes writes", "offset", at.Offset)
}

// Stop ends the link at a stop of the server. The next start continues where it has ended.
func (f *Following) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.WakeUp()
	was, linked := f.State()
	at := f.end()
	if f.o.Cluster == nil && linked && at.ID != "" && f.o.Server.Condition().LogFailed == "" {
		f.keep(kept{Word: follows, Host: was.Host, Port: was.Port, at: at})
	}
}

// State implements [commands.Replication]. A link of a cluster counts as long as the key says the same: it ends
// a moment after a REPLICAOF.
func (f *Following) State() (s replica.State, ok bool) {
	said := f.said.Load()
	if link := f.link.Load(); link != nil {
		s = link.State()
		if f.o.Cluster == nil || said.on() && said.Host == s.Host && said.Port == s.Port {
			return s, true
		}
	}
	if said.on() {
		return said.state(), true
	}
	return replica.State{}, false
}
