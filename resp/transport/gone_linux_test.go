package transport

import (
	"crypto/tls"
	"net"
	"runtime"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestGone: a connection is not gone while its client may send, whatever it has sent. It is gone when the
// client closes its side, resets the connection, or the server closes it.
func TestGone(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = resptest.SocketPath(t)
		}
		ln, err := net.Listen(network, address)
		require.NoError(t, err)
		defer ln.Close()
		for _, leave := range []func(client net.Conn, c *Conn){
			func(client net.Conn, _ *Conn) { client.Close() },
			func(client net.Conn, _ *Conn) { client.(interface{ CloseWrite() error }).CloseWrite() },
			func(_ net.Conn, c *Conn) { c.Close() },
			func(client net.Conn, _ *Conn) {
				if tcp, ok := client.(*net.TCPConn); ok {
					tcp.SetLinger(0) // Close then resets the connection
				}
				client.Close()
			},
		} {
			client, err := net.Dial(network, ln.Addr().String())
			require.NoError(t, err)
			nc, err := ln.Accept()
			require.NoError(t, err)
			c := newConn(&host{}, nc)
			client.Write([]byte("more"))
			require.False(t, c.Gone())
			require.False(t, hungUp(tls.Server(nc, &tls.Config{})))
			leave(client, c)
			for !c.Gone() { // the kernel takes its time
				runtime.Gosched()
			}
			client.Close()
			c.Close()
		}
	}
}
