package server

import (
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/server/clients"
	"cellserver/store"
)

// Client is one connection. It implements [resp.Handler]. Only the goroutine that drives its
// session uses it. Other connections may use entry.
type Client struct {
	conn   commands.Conn
	entry  clients.Entry
	server *Server

	call      commands.Call // the running command; reused
	last      commands.LookupCache
	tx        *store.Tx
	footprint store.Footprint // of the running command; reused
	timing    timing

	follower *turn      // of the follower whose commands the client runs; nil for all other clients
	admitted *Condition // under which the command was admitted

	tries
	batch batch
}

// tries is about the tries of the command that runs.
type tries struct {
	offloaded bool // the session runs the next one on a goroutine of its own
	held      bool // CLIENT PAUSE held the last one back, also if the command waits itself
	shown     bool // the monitors have seen the command, which waits itself
}

// Connect returns the client of a new connection. The client is the handler of its session.
func (s *Server) Connect(p commands.Peer) *Client { return s.ConnectWhole(p, false) }

// ConnectWhole is [Server.Connect]. `whole` says that the client knows no slots. Other connections see the
// client from now on, so nobody may say it later.
func (s *Server) ConnectWhole(p commands.Peer, whole bool) *Client {
	s.stats.Totals.Connections.Add(1)
	c := &Client{server: s, tx: s.parts.Store.NewTx()}
	c.tx.CountLater = true
	c.conn.Connect(p)
	c.conn.Link.Whole = whole
	c.conn.Now = s.parts.Clock.Now()
	c.conn.Identity.User = s.parts.Users.Arriving()
	c.tx.By = &c.conn
	c.call.Conn, c.call.Server, c.call.Runner = &c.conn, &s.parts, c
	s.clients.Add(&c.entry, &c.conn, c.conn.Now)
	return c
}

// Conn returns the connection's state, for the goroutine that drives its session.
func (c *Client) Conn() *commands.Conn { return &c.conn }

// ID returns what CLIENT ID replies. Any goroutine may call it.
func (c *Client) ID() int64 { return c.conn.ID }

// beginBatch reads the epoch and then the clocks for a batch of commands. In this order a leader never runs a
// command at the time of a follower.
func (c *Client) beginBatch() {
	c.batch.begun = true
	c.batch.epoch = c.server.control.epoch()
	if c.follower != nil && c.follower.keep != nil {
		c.batch.epoch = c.follower.keep.Epoch
	}
	now, monotonic := c.server.parts.Clock.Read()
	c.conn.Now = now
	c.timing.begin(monotonic)
}

// Prefetch prefetches the keys of a later command of the batch, if the batch repeats one command on
// different keys, or two by turns. Most pipelines do.
func (c *Client) Prefetch(args [][]byte) {
	cmd := c.last.Recall(args[0])
	switch {
	case cmd == nil || len(args) < 2:
	case cmd.OnOneKey():
		c.tx.Prefetch(c.conn.DB, args[1])
	case cmd.Prefetch != nil:
		cmd.Prefetch(&c.conn, &c.server.parts, c.tx, args)
	}
}

// End ends a batch. It publishes the state of the client, drops the references to the requests, and returns
// the position that the replies wait for.
func (c *Client) End() (need uint64) {
	c.tx.DropPrefetched()
	if c.hasUncounted() {
		c.countGroups()
	}
	c.timing.groups = [2]group{}
	c.call.Args = nil
	c.conn.Scratch.Release()
	if c.batch.dirty || c.entry.Blocked() {
		c.entry.Publish(c.call.Cmd)
	} else {
		c.entry.PublishLast(c.call.Cmd)
	}
	need = c.server.need(&c.batch)
	c.batch = batch{}
	return need
}

// MessageNeed returns the position that a message to the client waits for. It may tell of any
// change, and waits as a read of all keys would.
func (c *Client) MessageNeed() uint64 { return c.server.need(&batch{keys: true}) }

// Limits returns the bounds of the next request. As in Redis, they are low until the client has
// authenticated.
func (c *Client) Limits() resp.Limits {
	cfg := c.server.Config()
	return resp.Limits{
		MaxBulk: cfg.ProtoMaxBulkLen, MaxBuffer: cfg.ClientQueryBufferLimit,
		Unauthenticated: c.conn.MustAuthenticate(&c.server.parts),
	}
}

// Failed logs the reason why the session ends: a protocol error, or the panic of a command with its
// stack.
func (c *Client) Failed(reason any, stack []byte) {
	log, addr := c.server.parts.Log, c.conn.Link.Peer.RemoteAddr()
	if reason == resp.ErrOutputLimit {
		log.Warn("closing a client whose replies exceed client-output-buffer-limit: raise the limit, "+
			"or ask for less at once",
			"client", addr, "command", c.call.Name(), "limit", c.OutputLimit())
		return
	}
	if stack == nil {
		log.Debug("protocol error", "client", addr, "error", reason)
		return
	}
	c.server.panicked(c.call.Name(), c.conn.Link.Peer, reason, stack)
}

// panicked counts and logs the panic of a command.
func (s *Server) panicked(command string, client commands.Peer, reason any, stack []byte) {
	s.stats.Totals.Panics.Add(1)
	s.parts.Log.Error("a command panicked; its connection is closed: please report this log entry",
		"command", command, "client", client.RemoteAddr(), "reason", reason, "stack", string(stack))
}

// Closed releases all that the connection holds: watched keys, tracking, MONITOR, subscriptions,
// its entry.
func (c *Client) Closed() {
	if c.conn.Transaction.Watcher.Watching() {
		go c.unwatch() // it may have to wait for a long command
	}
	c.endWait()
	c.server.blocked.Forget(c.conn.ID)
	c.server.tracking.Stop(&c.conn)
	c.server.monitors.Remove(&c.conn)
	if commands.SubscriptionSteps*c.conn.Subs.Total() > commands.MaxSteps {
		go c.server.pubsub.Leave(&c.conn)
	} else {
		c.server.pubsub.Leave(&c.conn)
	}
	c.server.clients.Remove(&c.entry)
}

// unwatch unwatches all keys, in a transaction of its own.
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

// OutputLimit returns the hard bound of the replies that are not sent yet.
func (c *Client) OutputLimit() int { return int(c.OutputLimits().Hard) }

// OutputLimits returns all bounds of the replies that are not sent yet. Any goroutine may call it.
func (c *Client) OutputLimits() *config.OutputLimit {
	if c.entry.Kind() == "pubsub" {
		return &c.server.Config().ClientOutputBufferLimit.PubSub
	}
	return &c.server.Config().ClientOutputBufferLimit.Normal
}

// MayIdle reports whether the client waits for the server. The directive timeout does not apply
// then. Any goroutine may call MayIdle.
func (c *Client) MayIdle() bool { return c.entry.WaitsForServer() }

// endWait marks the command as no longer waiting.
func (c *Client) endWait() {
	if c.entry.Resume() {
		c.conn.Wait, c.shown = commands.Wait{}, false
	}
}
