package commands

import (
	"net"
	"net/netip"
	"sync/atomic"

	"cellserver/acl"
	"cellserver/internal/topology"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// Conn is the state of one connection, for the commands of that connection. Only the goroutine that
// runs these commands uses a Conn, except where a field says otherwise.
type Conn struct {
	ID          int64 // what CLIENT ID replies
	Now         int64 // logical time of the running batch, Unix nanoseconds
	DB          int   // the selected database
	Identity    Identity
	Modes       Modes
	Transaction Transaction // MULTI and WATCH
	Subs        Subscriptions
	Tracking    Tracking
	Link        Link
	Scratch     Scratch

	Wait Wait // of the command that runs again and again (TryAgain)

	After After
}

// Identity is the user and the names of a connection.
type Identity struct {
	User           *acl.User // Server.Users.Guest before AUTH, if the default user has a password
	Name           string    // CLIENT SETNAME; "" if the client has no name
	Library        string    // CLIENT SETINFO LIB-NAME
	LibraryVersion string    // CLIENT SETINFO LIB-VER
}

// Modes are the modes that a connection has switched on.
type Modes struct {
	Reply      ReplyMode // CLIENT REPLY
	NoEvict    bool      // CLIENT NO-EVICT
	NoTouch    bool      // CLIENT NO-TOUCH
	Monitoring bool      // MONITOR
	ReadOnly   bool      // READONLY: the client reads on followers
	Leaving    bool      // the connection closes once its reply is written
}

// ReplyMode is the choice of CLIENT REPLY.
type ReplyMode uint8

// The modes of CLIENT REPLY.
const (
	ReplyOn ReplyMode = iota
	ReplyOff
	ReplySkipNext // after CLIENT REPLY SKIP: the next command has no reply
	ReplySkip     // the running command has no reply
)

// Wait is how long a command waits. It is zero if no command waits.
type Wait struct {
	Until     int64 // nanoseconds
	Monotonic bool  // Until is a time of the monotonic clock, not of the logical one
}

// Link connects a connection's commands with its transport. Any goroutine may use a Link, except
// SetProto and FlushSelfPushes: only the goroutine of the connection calls these.
type Link struct {
	Peer Peer
	// Asked is the question of a caller inside the process, which the running CL.MCHECK answers instead of
	// replying. Nil for every other client.
	Asked      *rules.Question
	Leases     Leases       // what the connection has leased
	Whole      bool         // the client does not know slots (topology.Door); fixed before others see it
	proto      atomic.Int32 // RESP version
	selfPushes []byte       // messages of the connection to itself; they follow the reply
}

// Leases count what CL.LEASE does: for one connection, or for all of them.
type Leases struct {
	Asks              atomic.Int64
	Granted, Returned atomic.Int64 // units
}

// Add counts a question.
func (l *Leases) Add(granted, returned int64) {
	l.Asks.Add(1)
	l.Granted.Add(granted)
	if returned != 0 { // few questions give units back, and adding costs as much as deciding
		l.Returned.Add(returned)
	}
}

// SidecarLibrary is the name with which a sidecar marks one connection to each node: CLIENT SETINFO LIB-NAME.
const SidecarLibrary = "cellserver-sidecar"

// Proto returns the RESP version, 2 or 3.
func (l *Link) Proto() int { return int(l.proto.Load()) }

// SetProto sets the RESP version of the connection and of its writer.
func (l *Link) SetProto(w *resp.Writer, proto int) {
	w.Proto = proto
	l.proto.Store(int32(proto))
}

// Connect attaches a new connection to its transport. The connection starts with RESP2.
func (c *Conn) Connect(p Peer) {
	c.Link.Peer = p
	c.Link.proto.Store(2)
}

// Push sends a message to the connection. by is the connection whose command sends the message, or
// nil; the caller runs on the goroutine of by. A message of a connection to itself follows the
// reply of its command.
func (c *Conn) Push(by *Conn, p []byte) {
	if c == by {
		c.Link.selfPushes = append(c.Link.selfPushes, p...)
		return
	}
	c.Link.Peer.Push(p)
}

// FlushSelfPushes writes the messages of the connection to itself, and empties their buffer.
func (l *Link) FlushSelfPushes(w *resp.Writer) {
	if len(l.selfPushes) > 0 {
		w.Raw(l.selfPushes)
		l.selfPushes = l.selfPushes[:0]
	}
}

// Door returns the way by which the client has come.
func (l *Link) Door() topology.Door { return topology.Door{TLS: l.Peer.Encrypted(), Whole: l.Whole} }

// IsLocal reports whether the client connects from a loopback address or over the unix socket.
func (l *Link) IsLocal() bool {
	tcp, ok := l.Peer.RemoteAddr().(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// Host returns the IP address of the client. It is the zero address for the unix socket.
func (l *Link) Host() netip.Addr {
	if tcp, ok := l.Peer.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	return netip.Addr{}
}

// IsUnix reports whether the client connects over the unix socket.
func (l *Link) IsUnix() bool {
	_, unix := l.Peer.RemoteAddr().(*net.UnixAddr)
	return unix
}
