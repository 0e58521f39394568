package commands

import (
	"net"
	"sync/atomic"

	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// Conn is the state of one connection that its own commands see and change. One goroutine at
// a time runs the commands of a connection. Only that goroutine uses a Conn, unless a part
// says otherwise.
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

	// WakeAt is the time at which the waiting command stops to wait; 0 if no command waits. It is
	// in logical Unix nanoseconds, or with WakeMonotonic in monotonic nanoseconds.
	WakeAt        int64
	WakeMonotonic bool

	// After runs once the locks of the running command are free and before its reply leaves.
	// Nil for nothing.
	After func()
}

// Identity is who a connection is.
type Identity struct {
	Authed         bool   // AUTH succeeded, or no password is set
	Name           string // CLIENT SETNAME, "" for none
	Library        string // CLIENT SETINFO LIB-NAME
	LibraryVersion string // CLIENT SETINFO LIB-VER
}

// DefaultUser is the only user.
const DefaultUser = "default"

// Modes are what a connection has switched on.
type Modes struct {
	Reply      ReplyMode // CLIENT REPLY
	NoEvict    bool      // CLIENT NO-EVICT
	NoTouch    bool      // CLIENT NO-TOUCH
	Monitoring bool      // MONITOR
	Leaving    bool      // the connection closes once its reply is written
}

// ReplyMode is what CLIENT REPLY chose.
type ReplyMode uint8

// The modes of CLIENT REPLY.
const (
	ReplyOn ReplyMode = iota
	ReplyOff
	ReplySkipNext // after CLIENT REPLY SKIP: the next command has no reply
	ReplySkip     // the running command has no reply
)

// Scratch is reusable memory of a connection, so that a limiter allocates nothing. The parts
// are nil until the first use.
type Scratch struct {
	Limit *limiters.Room
	Check *rules.Check
}

// Release drops the references to the last requests, so that an idle connection keeps no
// request in memory.
func (s *Scratch) Release() {
	s.Limit.Release()
	s.Check.Release()
}

// Peer is the transport's side of a connection. Any goroutine may call its methods.
type Peer interface {
	Push(p []byte)    // sends p whole, between replies
	Close()           // cuts the connection
	Wake()            // runs a command that waits (TryAgain) again; nothing is lost if it begins to wait just now
	CloseAfterReply() // closes the connection after the replies of the running batch
	Pending() int     // bytes that wait to be sent
	Memory() int      // bytes of its buffers, about
	RemoteAddr() net.Addr
	LocalAddr() net.Addr
}

// Link connects a connection's commands with its transport. Any goroutine may use a Link,
// but for SetProto and TakeOwn.
type Link struct {
	Peer  Peer
	proto atomic.Int32 // RESP version
	own   []byte       // messages of a connection to itself, for after its reply
}

// Proto returns the RESP version, 2 or 3.
func (l *Link) Proto() int { return int(l.proto.Load()) }

// SetProto sets the RESP version of a connection and of its session's writer.
func (l *Link) SetProto(w *resp.Writer, proto int) {
	w.Proto = proto
	l.proto.Store(int32(proto))
}

// Connect joins a new connection to its transport. It speaks RESP2 at first.
func (c *Conn) Connect(p Peer) {
	c.Link.Peer = p
	c.Link.proto.Store(2)
}

// Push sends a message to the connection. by is the connection whose command sends the
// message, nil if there is none; the caller runs on by's goroutine. A message of a connection to
// itself follows the reply of the command.
func (c *Conn) Push(by *Conn, p []byte) {
	if c == by {
		c.Link.own = append(c.Link.own, p...)
		return
	}
	c.Link.Peer.Push(p)
}

// TakeOwn writes the messages of a connection to itself, and forgets them.
func (l *Link) TakeOwn(w *resp.Writer) {
	if len(l.own) > 0 {
		w.Raw(l.own)
		l.own = l.own[:0]
	}
}

// IsLocal reports whether the client came over the loopback address or the unix socket.
func (l *Link) IsLocal() bool {
	tcp, ok := l.Peer.RemoteAddr().(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// IsUnix reports whether the client came over the unix socket.
func (l *Link) IsUnix() bool {
	_, unix := l.Peer.RemoteAddr().(*net.UnixAddr)
	return unix
}
