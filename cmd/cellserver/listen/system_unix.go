//go:build unix

package listen

import (
	"math"
	"net"
	"os"
	"syscall"
)

// OpenFiles returns how many files and connections this process may have open. The Go runtime has raised the
// soft limit to the hard limit.
func OpenFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

// listens reports whether a socket listens. A connection does not.
func listens(socket *os.File) (yes bool) {
	if raw, err := socket.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			n, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
			yes = err == nil && n != 0
		})
	}
	return yes
}

// setBacklog sets how many connections may wait to be accepted. Go asks for the system's maximum, and a
// second listen(2) is the only way to change it.
func setBacklog(ln *net.TCPListener, backlog int) {
	if raw, err := ln.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Listen(int(fd), backlog) })
	}
}
