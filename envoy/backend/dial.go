package backend

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// dialer returns the function that makes the connections of the client library. opened is called for each of
// them, and what it returns at the end of that one.
func dialer(
	network string, opened func() (closed func()),
) func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error) {
	return func(ctx context.Context, to string, d *net.Dialer, secure *tls.Config) (c net.Conn, err error) {
		if secure != nil && network != "unix" {
			c, err = (&tls.Dialer{NetDialer: d, Config: secure}).DialContext(ctx, network, to)
		} else {
			c, err = d.DialContext(ctx, network, to)
		}
		if err != nil {
			return nil, err
		}
		closed := func() {}
		if opened != nil {
			closed = sync.OnceFunc(opened())
		}
		return &storeConn{Conn: c, closed: closed}, nil
	}
}

// A storeConn reads only replies of a bounded size, and tells when it is closed.
type storeConn struct {
	net.Conn
	lengths lengths
	closed  func()
}

// Read implements [net.Conn].
func (c *storeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if wrong := c.lengths.check(b[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// Close implements [net.Conn].
func (c *storeConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
