//go:build !unix

package listen

import (
	"math"
	"net"
	"os"
)

// OpenFiles returns how many files and connections this process may have open. No limit is known on this
// system.
func OpenFiles() int { return math.MaxInt32 }

// listens is for systems with socket activation.
func listens(*os.File) bool { return true }

// setBacklog does nothing on this system.
func setBacklog(*net.TCPListener, int) {}
