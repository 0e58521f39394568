package direct

import "net"

// Conn returns a connection that reads and writes directly. It returns conn itself if conn is not a TCP connection.
func Conn(conn net.Conn) net.Conn {
	if tcp, ok := conn.(*net.TCPConn); ok {
		return of(tcp)
	}
	return conn
}
