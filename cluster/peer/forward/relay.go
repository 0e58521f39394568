package forward

import (
	"io"
	"net"
)

// Relay copies bytes both ways until the server closes, or until the client has closed and the server has
// answered. Then it closes both connections. Closing one of them from another goroutine ends the relay.
func Relay(client, server net.Conn) {
	requests := make(chan struct{})
	go func() {
		defer close(requests)
		if _, err := io.Copy(inner(server), inner(client)); err != nil || !closeWrite(server) {
			_ = server.Close()
		}
	}()
	_, _ = io.Copy(inner(client), inner(server))
	_ = client.Close()
	_ = server.Close()
	<-requests
}

// inner returns the connection inside a wrapper, so that the system can copy between two sockets by itself.
func inner(conn net.Conn) net.Conn {
	for {
		wrapper, ok := conn.(interface{ Inner() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapper.Inner()
	}
}

// closeWrite says to the other end that no more bytes follow. It reports whether the connection can say that.
func closeWrite(conn net.Conn) bool {
	half, ok := inner(conn).(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}
