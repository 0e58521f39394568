package server

import (
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/server/clients"
	"cellserver/store"
)

// Client is one connection. It implements [resp.Handler]. Only the goroutine that drives its
// session touches it, but for entry, which other connections may use.
type Client struct {
	conn   commands.Conn
	entry  clients.Entry
	server *Server

	call      commands.Call // the running command; reused
	last      commands.LastName
	tx        *store.Tx
	footprint store.Footprint // of the running command; reused
	timing    timing

	offloaded bool // the next try of the command runs where no other connection waits
	dirty     bool // a command of the batch may have changed what others see of the client
	changed   bool // a command has changed a key since the last call of Changed
}

// Connect makes the client of a new connection. The client is the handler of its session.
func (s *Server) Connect(p commands.Peer) *Client {
	s.stats.Totals.Connections.Add(1)
	c := &Client{server: s, tx: s.parts.Store.NewTx()}
	c.tx.CountLater = true
	c.conn.Connect(p)
	c.conn.Now = s.parts.Clock.Now()
	c.conn.Identity.Authed = s.Config().RequirePass == ""
	c.conn.Tracking.Tx = c.tx
	c.call.Conn, c.call.Server, c.call.Runner = &c.conn, &s.parts, c
	s.clients.Add(&c.entry, &c.conn, c.conn.Now)
	return c
}

// Conn returns the connection's state, for the goroutine that drives its session.
func (c *Client) Conn() *commands.Conn { return &c.conn }

// ID returns what CLIENT ID replies. Any goroutine may call it.
func (c *Client) ID() int64 { return c.conn.ID }

// Begin reads the clocks for a batch of commands.
func (c *Client) Begin() {
	c.conn.Now, c.timing.since = c.server.parts.Clock.Read()
}

// Prefetch prefetches the key of a later command of the batch, if that is the same command as the
// last one on another key. Most pipelines are of this kind.
func (c *Client) Prefetch(args [][]byte) {
	if cmd := c.last.Cmd(); len(args) > 1 && cmd != nil && cmd.OnOneKey() && c.last.Is(args[0]) {
		c.tx.Prefetch(c.conn.DB, args[1])
	}
}

// End closes a batch: others may see what it did to the client. An idle client keeps no request
// in memory.
func (c *Client) End() {
	c.tx.DropPrefetched()
	c.settle()
	c.timing.cmd = nil
	c.call.Args = nil
	c.conn.Scratch.Release()
	if c.dirty || c.entry.Blocked() {
		c.dirty = false
		c.entry.Publish(c.call.Cmd)
	} else {
		c.entry.PublishRun(c.call.Cmd)
	}
}

// Changed reports whether a command since the last call has changed a key. A read that removes an
// expired key is such a command.
func (c *Client) Changed() bool {
	changed := c.changed
	c.changed = false
	return changed
}

// Limits bound the next request. As in Redis, they are tight until a client has authenticated.
func (c *Client) Limits() resp.Limits {
	cfg := c.server.Config()
	return resp.Limits{
		MaxBulk: cfg.ProtoMaxBulkLen, MaxBuffer: cfg.ClientQueryBufferLimit,
		Unauthenticated: c.conn.MustAuthenticate(&c.server.parts),
	}
}

// Failed logs why the session ends: a protocol error, or a panic of a command.
func (c *Client) Failed(reason any, stack []byte) {
	log, addr := c.server.parts.Log, c.conn.Link.Peer.RemoteAddr()
	if stack == nil {
		log.Debug("protocol error", "client", addr, "error", reason)
		return
	}
	c.server.stats.Totals.Panics.Add(1)
	log.Error("a command panicked; its connection is closed: please report this log entry", "command", c.call.Name(),
		"client", addr, "reason", reason, "stack", string(stack))
}

// Closed frees what the connection held.
func (c *Client) Closed() {
	c.unwatch()
	c.resume()
	c.server.tracking.Stop(&c.conn)
	c.server.monitors.Remove(&c.conn)
	c.server.pubsub.Leave(&c.conn)
	c.server.clients.Remove(&c.entry)
}

// unwatch forgets the watched keys, in a transaction of its own.
func (c *Client) unwatch() {
	w := &c.conn.Transaction.Watcher
	if !w.Watching() {
		return
	}
	var fp store.Footprint
	w.Footprint(&fp)
	c.tx.Begin(c.conn.Now, c.conn.DB, &fp)
	defer c.tx.End()
	c.tx.Unwatch(w)
}

// OutputLimit bounds the replies that wait for the client. Any goroutine may call it.
func (c *Client) OutputLimit() config.OutputLimit {
	limits := &c.server.Config().ClientOutputBufferLimit
	if c.entry.Kind() == "pubsub" {
		return limits.PubSub
	}
	return limits.Normal
}

// MayIdle reports whether the directive timeout does not apply to the client now. Any
// goroutine may call it.
func (c *Client) MayIdle() bool { return c.entry.Idles() }
