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
		if err != nil || opened == nil {
			return c, err
		}
		return &countedConn{Conn: c, closed: sync.OnceFunc(opened())}, nil
	}
}

// A countedConn tells when it is closed.
type countedConn struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
