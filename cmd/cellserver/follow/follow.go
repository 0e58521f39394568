package follow

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
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
	Clock  Clock
	Log    *slog.Logger
	// Dial opens a connection to the master.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

// Clock is the time of the server.
type Clock interface {
	Now() int64
	Monotonic() int64
}

// Following is what this server does as a replica of another one. It implements [commands.Replication].
type Following struct {
	o Options

	link atomic.Pointer[replica.Link] // nil if the server follows nobody

	mu       sync.Mutex // guards the fields below; held while the server begins or ends to follow
	follower *server.Follower
	begun    bool // Start was called
	stopped  bool // the server stops
}

// Init passes the parts. It is called once, before any other method.
func (f *Following) Init(o Options) { f.o = o }

// followingKey is a key of the server's own database. It says whom the server follows, or whom it has left.
// A clean stop adds the position, and the next start takes it out.
const followingKey = "replicaof"

// The words of the key.
const (
	follows = "follows"
	hasLeft = "left"
)

// Start follows the server of the configuration, or the one that this server followed when it stopped. It is
// called when the keys are loaded, before clients may use them.
func (f *Following) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun || f.o.Server.Replication() == nil {
		return
	}
	f.begun = true
	host, port := f.o.Server.Config().Replication.Address()
	var word, lastHost string
	var lastPort int
	var from replica.Position
	_, _ = fmt.Sscan(f.kept(), &word, &lastHost, &lastPort, &from.ID, &from.Offset, &from.DB)
	last := net.JoinHostPort(lastHost, strconv.Itoa(lastPort))
	switch same := host == lastHost && port == lastPort; {
	case word == hasLeft && same:
		f.o.Log.Warn("replicaof of the configuration has no effect, because REPLICAOF NO ONE has ended it: "+
			"remove the directive, or send CONFIG REWRITE", "master", last)
		f.o.Server.SetFollower(nil)
		return
	case host == "" && word != follows:
		return
	case host == "":
		host, port = lastHost, lastPort
	}
	if from.ID == "" && word == follows {
		f.o.Log.Warn("the server did not stop in order while it followed, so it takes a full copy again")
	}
	f.follow(host, port, from)
}

// kept returns the text of the key, "" for none.
func (f *Following) kept() (text string) {
	f.change(func(e *store.Entry) { text = string(e.Bytes(nil)) })
	return text
}

// keep writes the key.
func (f *Following) keep(words ...any) {
	text := strings.TrimSpace(fmt.Sprintln(words...))
	f.change(func(e *store.Entry) { e.SetBytes([]byte(text), store.NoExpiry) })
}

func (f *Following) change(do func(e *store.Entry)) {
	tx := f.o.Store.NewTx()
	tx.BeginKey(f.o.Clock.Now(), store.Own, []byte(followingKey))
	defer tx.End()
	e := tx.Write([]byte(followingKey))
	do(&e)
}

// Follow implements [commands.Replication].
func (f *Following) Follow(host string, port int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		f.follow(host, port, f.end())
	}
}

// follow begins to follow another server.
func (f *Following) follow(host string, port int, from replica.Position) {
	f.keep(follows, host, port)
	address := net.JoinHostPort(host, strconv.Itoa(port))
	f.o.Log.Info("this server follows another one, and takes no writes until REPLICAOF NO ONE",
		"master", address)
	f.follower = f.o.Server.NewFollower(&masterPeer{address}, fmt.Sprint(host, " ", port))
	f.o.Server.SetFollower(f.follower)
	cfg := f.o.Server.Config
	of := func() *config.Replication { return &cfg().Replication }
	to := &target{o: &f.o, Follower: f.follower}
	to.link = replica.New(replica.Options{
		Host: host, Port: port, ListeningPort: cfg().Port, From: from,
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
	f.mu.Lock()
	defer f.mu.Unlock()
	was, follows := f.State()
	if !follows || f.stopped {
		return
	}
	at := f.end()
	f.keep(hasLeft, was.Host, was.Port)
	f.o.Disk.Journal().Sync() // no crash from now on makes the server follow again
	f.o.Server.SetFollower(nil)
	f.o.Log.Info("this server follows nobody any more, and takes writes", "offset", at.Offset)
}

// Stop ends the link at a stop of the server. The next start continues where it has ended.
func (f *Following) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	was, linked := f.State()
	if at := f.end(); linked && at.ID != "" && f.o.Server.Condition().LogFailed == "" {
		f.keep(follows, was.Host, was.Port, at.ID, at.Offset, at.DB)
	}
}

// State implements [commands.Replication].
func (f *Following) State() (s replica.State, ok bool) {
	link := f.link.Load()
	if link == nil {
		return s, false
	}
	return link.State(), true
}
