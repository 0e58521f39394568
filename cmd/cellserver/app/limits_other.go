//go:build !unix

package app

import (
	"math"
	"net"
)

// openFiles is how many files and connections may be open: no limit is known here.
func openFiles() int { return math.MaxInt32 }

// setBacklog leaves the system's backlog.
func setBacklog(*net.TCPListener, int) {}
