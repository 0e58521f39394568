package servertest

import (
	"net"
	"sync/atomic"
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// Peer is a transport without a socket. It implements [commands.Peer].
type Peer struct {
	T      testing.TB
	Pushes []any        // the pushed messages, in the types of package resptest
	Closed bool         // the server has closed the connection
	Woken  atomic.Int32 // how many times the server has woken it
	Port   int          // of the client; 0 for an unknown port
	TLS    bool         // the client speaks TLS
	Left   atomic.Bool  // the client has closed its side
}

// NewConn returns a connection without a client, for tests of a single concern. proto is 2 or 3.
func NewConn(t testing.TB, proto int) (*commands.Conn, *Peer) {
	peer, conn := &Peer{T: t}, new(commands.Conn)
	conn.Connect(peer)
	conn.Link.SetProto(new(resp.Writer), proto)
	return conn, peer
}

// TakePushes returns the messages that were pushed to the client, and empties Pushes.
func (p *Peer) TakePushes() []any {
	pushes := p.Pushes
	p.Pushes = nil
	return pushes
}

// Push implements [commands.Peer].
func (p *Peer) Push(message []byte) {
	push, n, err := resptest.Parse(message)
	require.NoError(p.T, err)
	require.Len(p.T, message, n)
	p.Pushes = append(p.Pushes, push)
}

// Close implements [commands.Peer].
func (p *Peer) Close() { p.Closed = true }

// CloseAfterReply implements [commands.Peer].
func (p *Peer) CloseAfterReply() { p.Closed = true }

// Wake implements [commands.Peer].
func (p *Peer) Wake() { p.Woken.Add(1) }

// Pending implements [commands.Peer].
func (p *Peer) Pending() int { return 0 }

// Memory implements [commands.Peer].
func (p *Peer) Memory() int { return 0 }

// Gone implements [commands.Peer].
func (p *Peer) Gone() bool { return p.Left.Load() }

// Encrypted implements [commands.Peer].
func (p *Peer) Encrypted() bool { return p.TLS }

// RemoteAddr implements [commands.Peer].
func (p *Peer) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p.Port} }

// LocalAddr implements [commands.Peer].
func (p *Peer) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6379} }
