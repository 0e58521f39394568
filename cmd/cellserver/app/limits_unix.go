//go:build unix

package app

import (
	"math"
	"net"
	"syscall"
)

// openFiles is how many files and connections the system lets this process have open.
// The runtime has raised the soft limit to the hard one.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

// setBacklog sets how many connections may wait to be accepted: listening once more is
// the one way to say so, as Go's own call asks for the system's maximum.
func setBacklog(ln *net.TCPListener, backlog int) {
	if raw, err := ln.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Listen(int(fd), backlog) })
	}
}
