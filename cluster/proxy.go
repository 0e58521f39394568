package cluster

import (
	"net"
)

// Forwards returns a listener of the clients that other nodes pass on. Its connections have the address of
// the client.
func (m *Member) Forwards() (net.Listener, error) { return m.port.Forwards() }

// PassOn relays a client to the leader until either ends, and closes its connection.
func (m *Member) PassOn(client net.Conn) { m.proxy.Serve(client) }
