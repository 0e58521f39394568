package commands

import (
	"cellserver/resp"
	"cellserver/store"
	"net"
	"sync"
	"sync/atomic"
)

// Peer is what a connection offers to commands; its methods may be called from any
// goroutine.
type Peer interface {
	Push(p []byte)    // sends p whole, between replies
	Close()           // cuts the connection
	CloseAfterReply() // lets the running batch's replies leave first
	Pending() int     // bytes that wait to be sent
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

	now             int64 // logical time of the running batch
	call            Call  // the running command; reused
	inner           Call  // the running command inside EXEC; reused
	tx              *store.Tx
	footprint       store.Footprint // of the running command; reused
	db              int
	authed          bool
	name            string
	libName, libVer string
	out             *resp.Writer // the session's, while a command runs
	multi           multi
	watcher         store.Watcher
	reply           replyMode
	wakeAt          int64 // monotonic time at which a blocked command is done; 0 when there is none

	mu     sync.Mutex // guards seen: what CLIENT LIST shows of other clients
	seen   clientView
	killed atomic.Bool // closed by another client; no further command runs
}

// clientView is what others may see of a client.
type clientView struct {
	lastCommand string
	lastActive  int64 // logical time, Unix nanoseconds
	db          int
	name        string
}

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
	c.authed = s.Config().RequirePass == ""
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

// Begin reads the clock for a batch of commands.
func (c *Client) Begin() { c.now = c.server.Clock.Now() }

// End closes a batch.
func (c *Client) End() {}

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
	c.server.Log.Error("a command panicked; its connection is closed", "command", c.call.Cmd.FullName(),
		"client", c.peer.RemoteAddr(), "reason", reason, "stack", string(stack))
}

// Closed frees what the connection held.
func (c *Client) Closed() {
	c.unwatch()
	s := c.server
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

func (c *Client) mustAuthenticate() bool { return !c.authed && c.server.Config().RequirePass != "" }

// setName is CLIENT SETNAME, HELLO SETNAME and RESET.
func (c *Client) setName(name string) { c.name = name }

// validName reports whether a client may be called so: no spaces, no control characters.
func validName(name []byte) bool {
	for _, b := range name {
		if b < '!' || b > '~' {
			return false
		}
	}
	return true
}

// isLocal reports whether an address is the loopback or a unix socket.
func isLocal(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// replyMode is what CLIENT REPLY chose.
type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // CLIENT REPLY SKIP itself has been run: the next reply is dropped
	replySkip
)
