// Package porttest gives tests TCP ports that stay free until their servers listen on them, also while a
// server is down.
//
// A port that the system chooses (":0") does not stay free: any outgoing connection may take it as its local
// port. The ports of this package lie below the ones that systems choose from.
//
// Several test programs run at the same time. A port belongs to one test until that test ends, because its
// program holds a UDP socket of the same number. The socket does not disturb servers, which use TCP.
//
// Invariant: no two tests have the same port at the same time. A lock guards the list of the ports of a
// process.
//
// Only tests import the package.
package porttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

const (
	// A server with a cluster port also listens 10,000 above. Linux chooses ports from 32,768 on.
	toOtherPort = 10_000
	lowest      = 11_000
	highest     = lowest + toOtherPort // no port of one server is the other port of another server
)

var (
	mu    sync.Mutex // guards given
	given = map[int]bool{}
)

// Free returns a TCP port of the loopback address that no process uses until the test ends. The port 10,000
// above it is free, too. A process gets each port once.
func Free(t testing.TB) int {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	for range 10_000 {
		port := lowest + rand.IntN(highest-lowest)
		if given[port] {
			continue
		}
		holder, err := net.ListenPacket("udp", address(port))
		if err != nil {
			continue
		}
		if free(port) && free(port+toOtherPort) {
			given[port] = true
			t.Cleanup(func() { holder.Close() })
			return port
		}
		holder.Close()
	}
	t.Fatalf("no port between %d and %d is free", lowest, highest)
	return 0
}

// free reports whether a server can listen on a port of the loopback address.
func free(port int) bool {
	ln, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	return ln.Close() == nil
}

func address(port int) string { return fmt.Sprint("127.0.0.1:", port) }
