//go:build !linux

package transport

import "net"

// loops has no event loops: on this system a worker serves every connection.
type loops struct{}

func newLoops(int, func() int64, *host) *loops { return &loops{} }

func (*loops) adopt(*Conn) bool { return false }
func (*loops) stop()            {}

// sendNow writes p, which is short, to a new connection.
func sendNow(nc net.Conn, p []byte) {
	if _, ok := nc.(interface{ NetConn() net.Conn }); !ok { // TLS waits for a handshake
		nc.Write(p)
	}
}

// hungUp never finds that a client has left: these systems tell it only to a reader.
func hungUp(net.Conn) bool { return false }
