//go:build !linux

package direct

import "net"

func of(tcp *net.TCPConn) net.Conn { return tcp }
