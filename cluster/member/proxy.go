package member

import (
	"context"
	"net"

	"cellserver/cluster/peer/handshake"
)

// Forwards returns a listener of the clients that other nodes pass on. Its connections have the address of
// the client.
func (m *Member) Forwards() (net.Listener, error) { return m.port.Forwards(forwarded{}) }

// forwarded is the address of the listener for clients that other nodes pass on.
type forwarded struct{}

// Network implements [net.Addr].
func (forwarded) Network() string { return "cluster" }

// String implements [net.Addr].
func (forwarded) String() string { return "passed on by other nodes" }

// PassOn relays a client to the leader until either ends, and closes its connection.
func (m *Member) PassOn(client net.Conn) { m.proxy.Serve(client) }

// dialLeader opens a connection for a client.
func (m *Member) dialLeader(ctx context.Context, leader string) (net.Conn, error) {
	return m.dialer.Dial(ctx, leader, handshake.Forward, 0)
}
