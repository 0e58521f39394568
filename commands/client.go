package commands

import (
	"cmp"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/resp"
	"cellserver/store"
)

// Peer is what a connection offers to commands; its methods may be called from any
// goroutine.
type Peer interface {
	Push(p []byte)    // sends p whole, between replies
	Close()           // cuts the connection
	CloseAfterReply() // lets the running batch's replies leave first
	Pending() int     // bytes that wait to be sent
	Memory() int      // bytes that its buffers take, roughly
	RemoteAddr() net.Addr
	LocalAddr() net.Addr
}

// Client is one connection's state. It implements [resp.Handler]; but for what is
// marked as shared, only the goroutine that drives its session touches it.
type Client struct {
	ID      int64
	server  *Server
	peer    Peer
	created int64 // logical time, Unix nanoseconds

	now       int64 // logical time of the running batch
	lapse     int64 // real time at which its last command was done, or it began
	tally     tally
	last      lastName
	call      Call      // the running command; reused
	inner     Call      // the running command inside EXEC; reused
	limiting  *limiting // what a limiter works on; reused, nil before the first one
	checking  *checking // what CL.CHECK works on; reused, nil before the first one
	tx        *store.Tx
	footprint store.Footprint // of the running command; reused
	db        int
	authed    bool
	names     names
	out       *resp.Writer // the session's, while a command runs
	multi     multi
	watcher   store.Watcher
	reply     replyMode
	wakeAt    int64 // time, on its own clock, at which a blocked command is done; 0 when there is none
	noEvict   bool  // CLIENT NO-EVICT
	noTouch   bool  // CLIENT NO-TOUCH
	leaving   bool  // killed by itself: closed once its reply is written
	track     track
	subs      subscriptions
	own       []byte // messages to itself, written after the reply
	inExec    bool   // EXEC runs its commands
	after     func() // what the running command wants done once its locks are free, before its reply leaves

	monitoring bool // MONITOR
	apart      bool // the command at hand runs where nobody else waits
	restless   bool // a command of the batch may have changed what others see of the client

	proto   atomic.Int32  // RESP version, for those who push to it; set by setProto
	waiting atomic.Uint32 // a waitState
	killed  atomic.Bool   // closed by another client; no further command runs

	mu   sync.Mutex // guards seen
	seen clientView // what CLIENT LIST shows of it, as of its last batch
}

// names are what a client calls itself and its library: "" for what it did not say.
type names struct{ client, library, version string }

// clients is the registry of connections.
type clients struct {
	mu     sync.Mutex // guards byID and nextID
	byID   map[int64]*Client
	nextID int64
}

// Connect makes the client of a new connection. The session's handler is the client.
func (s *Server) Connect(p Peer) *Client {
	s.totals.connections.Add(1)
	c := &Client{server: s, peer: p, created: s.Clock.Now(), tx: s.Store.NewTx()}
	c.tx.CountLater = true
	c.call.Client, c.call.Server = c, s
	c.authed = s.Config().RequirePass == ""
	c.now = c.created
	c.proto.Store(2)
	c.publish()
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	s.clients.nextID++
	c.ID = s.clients.nextID
	s.clients.byID[c.ID] = c
	return c
}

// Clients returns the number of connections.
func (s *Server) Clients() int {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	return len(s.clients.byID)
}

// client returns the connected client of an id, nil if there is none.
func (s *Server) client(id int64) *Client {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	return s.clients.byID[id]
}

// everyClient returns the connected clients, in the order in which they came.
func (s *Server) everyClient() []*Client {
	s.clients.mu.Lock()
	all := make([]*Client, 0, len(s.clients.byID))
	for _, c := range s.clients.byID {
		all = append(all, c)
	}
	s.clients.mu.Unlock()
	slices.SortFunc(all, func(a, b *Client) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Begin reads the clocks for a batch of commands.
func (c *Client) Begin() {
	c.now, c.lapse = c.server.Clock.Read()
}

// Foresee has the key of a command to come fetched from memory, if that is the same as the last one
// on another key: so it is in most pipelines.
func (c *Client) Foresee(args [][]byte) {
	if cmd := c.last.cmd; len(args) > 1 && cmd != nil && cmd.onOneKey && c.last.is(args[0]) {
		c.tx.Prefetch(c.db, args[1])
	}
}

// End closes a batch: others may see what it did to the client. An idle client keeps no request
// alive.
func (c *Client) End() {
	c.tx.DropPrefetched()
	c.settle()
	c.tally.cmd = nil
	c.call.Args = nil
	c.limiting.forget()
	c.checking.forget()
	if c.restless || c.blocked() {
		c.publish()
	} else {
		c.publishRun()
	}
}

// Limits bound the next request; those of a client that has yet to authenticate are
// tight, as in Redis.
func (c *Client) Limits() resp.Limits {
	cfg := c.server.Config()
	return resp.Limits{
		MaxBulk: cfg.ProtoMaxBulkLen, MaxBuffer: cfg.ClientQueryBufferLimit,
		Unauthenticated: c.mustAuthenticate(),
	}
}

// Failed logs why the session ends: a protocol error, or a command's panic.
func (c *Client) Failed(reason any, stack []byte) {
	if stack == nil {
		c.server.Log.Debug("protocol error", "client", c.peer.RemoteAddr(), "error", reason)
		return
	}
	c.server.totals.panics.Add(1)
	c.server.Log.Error("a command panicked; its connection is closed", "command", c.call.name(),
		"client", c.peer.RemoteAddr(), "reason", reason, "stack", string(stack))
}

// Closed frees what the connection held.
func (c *Client) Closed() {
	c.unwatch()
	c.resume()
	s := c.server
	s.tracking.stop(c)
	s.monitors.remove(c)
	c.unsubscribeAll()
	s.clients.mu.Lock()
	delete(s.clients.byID, c.ID)
	s.clients.mu.Unlock()
}

// unwatch forgets the watched keys, in a transaction of its own.
func (c *Client) unwatch() {
	if !c.watcher.Watching() {
		return
	}
	var fp store.Footprint
	c.watcher.Footprint(&fp)
	c.tx.Begin(c.now, c.db, &fp)
	defer c.tx.End()
	c.tx.Unwatch(&c.watcher)
}

// push sends a message on behalf of the client by, whose goroutine this is, or of none.
// To itself it comes right after the reply.
func (c *Client) push(by *Client, p []byte) {
	if c == by {
		c.own = append(c.own, p...)
		return
	}
	c.peer.Push(p)
}

func (c *Client) mustAuthenticate() bool { return !c.authed && c.server.Config().RequirePass != "" }

// setName is CLIENT SETNAME, HELLO SETNAME and RESET.
func (c *Client) setName(name string) { c.names.client = name }

// setProto is HELLO and RESET: w is the client's session's.
func (c *Client) setProto(w *resp.Writer, proto int) {
	w.Proto = proto
	c.proto.Store(int32(proto))
}

// isLocal reports whether the client came over the loopback address or the unix socket.
func (c *Client) isLocal() bool {
	tcp, ok := c.peer.RemoteAddr().(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// isUnix reports whether the client came over the unix socket.
func (c *Client) isUnix() bool {
	_, unix := c.peer.RemoteAddr().(*net.UnixAddr)
	return unix
}
