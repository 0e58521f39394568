package commands

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/config"
)

// CLIENT INFO and LIST show connections, one line each: "id=3 addr=127.0.0.1:49210 …".
// Source of the fields: https://redis.io/docs/latest/commands/client-list/
var (
	clientInfo = &Command{
		Name: "info", Arity: 2, Flags: connectionFlags, Since: "6.2.0",
		Summary: "Returns information about the current client connection.", Complexity: "O(1)", Tips: nondeterministicOutput,
		Help: []string{"INFO", "    Return information about the current client connection."},
		Run: func(c *Call) error {
			c.Client.publish()
			c.Out.Verbatim("txt", c.describe(c.Client))
			return nil
		},
	}
	clientList = &Command{
		Name: "list", Arity: -2, Flags: adminFlags, Since: "2.4.0",
		Summary: "Get the list of client connections", Usage: "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
		Complexity: "O(N) where N is the number of client connections", Tips: nondeterministicOutput,
		Help: []string{"LIST [options ...]", "    Return information about client connections. Options:",
			"    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)", "      Return clients of specified type."},
		Run: listClients,
	}
)

func listClients(c *Call) error {
	clients, err := c.listed()
	if err != nil {
		return err
	}
	c.Client.publish()
	var b strings.Builder
	for _, client := range clients {
		b.WriteString(c.describe(client))
	}
	c.Out.Verbatim("txt", b.String())
	return nil
}

// listed returns the clients that CLIENT LIST's arguments ask for.
func (c *Call) listed() ([]*Client, error) {
	args := c.Args[2:]
	switch {
	case len(args) == 0:
		return c.Server.everyClient(), nil
	case len(args) == 2 && is(args[0], "type"):
		kind, err := clientType(args[1])
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(c.Server.everyClient(), func(client *Client) bool { return client.kind() != kind }), nil
	case len(args) > 1 && is(args[0], "id"):
		var clients []*Client
		for _, arg := range args[1:] {
			id, ok := parseInt(arg)
			if !ok {
				return nil, Error("ERR Invalid client ID")
			}
			if client := c.Server.client(id); client != nil {
				clients = append(clients, client)
			}
		}
		return clients, nil
	}
	return nil, errSyntax
}

// clientType reads a type of client; "slave" is the old word for a replica.
func clientType(arg []byte) (string, error) {
	switch name := strings.ToLower(string(arg)); name {
	case "normal", "master", "replica", "pubsub":
		return name, nil
	case "slave":
		return "replica", nil
	}
	return "", Error("ERR Unknown client type '" + clip(arg, len(arg)) + "'")
}

// kind is the type of a client, as CLIENT LIST TYPE and CLIENT KILL TYPE name it.
func (c *Client) kind() string {
	if c.subscribed() {
		return "pubsub"
	}
	return "normal"
}

// clientView is what others may see of a client.
type clientView struct {
	names            names
	last             *Command // nil: none, or unknown
	active           int64    // logical time of the last batch, Unix nanoseconds
	db               int
	queued           int // commands in MULTI, -1 outside
	queuedSize       int // bytes of their arguments
	redirect         int64
	channels         int // listened to
	patterns         int
	noEvict, noTouch bool
	monitoring       bool
	tracking, bcast  bool
}

// publishRun lets others see what the client did last, and when: all that a batch of commands on one
// key each can have changed.
func (c *Client) publishRun() {
	c.mu.Lock()
	c.seen.last, c.seen.active = c.call.Cmd, c.now
	c.mu.Unlock()
}

// publish lets others see the client as it is now. Once per batch is often enough.
func (c *Client) publish() {
	c.restless = false
	v := clientView{
		names: c.names, last: c.call.Cmd, active: c.now, db: c.db, queued: -1, queuedSize: c.multi.bytes,
		noEvict: c.noEvict, noTouch: c.noTouch, monitoring: c.monitoring,
		tracking: c.track.on, bcast: c.track.bcast, redirect: c.track.target(),
		channels: len(c.subs.channels), patterns: len(c.subs.patterns),
	}
	if c.multi.active {
		v.queued = len(c.multi.queued)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocked() {
		v.active = c.seen.active // trying again is no sign of life
	}
	c.seen = v
}

func (c *Client) view() clientView {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// flags are the letters of a client's state, N when there is none.
func (c *Client) flags(v *clientView) string {
	var letters []byte
	for _, f := range []struct {
		letter byte
		on     bool
	}{
		{'O', v.monitoring}, {'P', c.subscribed()}, {'x', v.queued >= 0}, {'b', c.blocked()}, {'t', v.tracking}, {'R', c.track.broken.Load()},
		{'B', v.bcast}, {'A', c.killed.Load()}, {'U', c.isUnix()}, {'e', v.noEvict}, {'T', v.noTouch},
	} {
		if f.on {
			letters = append(letters, f.letter)
		}
	}
	if letters == nil {
		return "N"
	}
	return string(letters)
}

// describe is a client's line. Figures of buffers that Redis has and we have not are 0;
// fd is -1, because the descriptor is the transport's affair.
func (c *Call) describe(client *Client) string {
	v := client.view()
	last := "NULL"
	if v.last != nil {
		last = v.last.FullName()
	}
	var request, args int
	if client == c.Client {
		request, args = requestSize(c.Client.call.Args)
	}
	pending := client.peer.Pending()
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=0 multi=%d "+
		"qbuf=%d qbuf-free=0 argv-mem=%d multi-mem=%d rbs=0 rbp=0 obl=0 oll=0 omem=%d tot-mem=%d events=r cmd=%s user=default "+
		"redir=%d resp=%d lib-name=%s lib-ver=%s\n",
		client.ID, client.addr(), client.laddr(), v.names.client, c.secondsSince(client.created), c.secondsSince(v.active),
		client.flags(&v), v.db, v.channels, v.patterns, v.queued, request, args, v.queuedSize, pending, client.peer.Memory()+v.queuedSize+pending, last,
		v.redirect, client.proto.Load(), v.names.library, v.names.version)
}

// requestSize is how many bytes a command takes on the wire, and its arguments alone.
func requestSize(args [][]byte) (wire, own int) {
	wire = headerSize(len(args))
	for _, a := range args {
		own += len(a)
		wire += headerSize(len(a)) + len(a) + len("\r\n")
	}
	return wire, own
}

// headerSize is the length of a line such as "*2\r\n".
func headerSize(n int) int { return len("*\r\n") + len(strconv.Itoa(n)) }

// secondsSince counts seconds of logical time, which may have been set back.
func (c *Call) secondsSince(then int64) int64 { return max(0, c.Now/1e9-then/1e9) }

// addr is where the client comes from: "ip:port", or "path:0" of the unix socket.
func (c *Client) addr() string { return c.server.address(c.peer.RemoteAddr()) }

// laddr is the address that the client connected to.
func (c *Client) laddr() string { return c.server.address(c.peer.LocalAddr()) }

func (s *Server) address(a net.Addr) string {
	if _, unix := a.(*net.UnixAddr); unix {
		return s.Config().UnixSocket + ":0"
	}
	return a.String()
}

// OutputLimit is what bounds the replies that wait for the client. It may be called from
// any goroutine.
func (c *Client) OutputLimit() config.OutputLimit {
	limits := &c.server.Config().ClientOutputBufferLimit
	switch c.kind() {
	case "pubsub":
		return limits.PubSub
	case "replica":
		return limits.Replica
	}
	return limits.Normal
}

// MayIdle reports whether the client is silent because it waits for the server, not the
// server for it: timeout does not concern it. It may be called from any goroutine.
func (c *Client) MayIdle() bool {
	return c.blocked() || c.view().monitoring || c.kind() != "normal"
}
