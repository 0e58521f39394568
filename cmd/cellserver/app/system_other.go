//go:build !unix

package app

import (
	"math"
	"net"
)

// openFiles returns how many files and connections this process may have open. No limit is known on this system.
func openFiles() int { return math.MaxInt32 }

// setBacklog does nothing on this system.
func setBacklog(*net.TCPListener, int) {}
