package attacks

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/config/value"

	"github.com/stretchr/testify/require"
)

// account compares the resident memory of a server with what the server may take: the program, maxmemory, the limits
// that are set, and room. A server without maxmemory may take twice what it counts (used_memory), because garbage may
// take as much as the live objects.
type account struct {
	idle      int64 // resident before the attack, in bytes
	maxmemory int64
	limits    int64 // of clients, in bytes
	resident  int64 // at most
	used      int64 // at most
	samples   int
}

// room is what a server may take besides, in bytes.
const room = 64 << 20

// newAccount returns the account of a server before an attack.
func newAccount(s *server) *account {
	a := &account{idle: s.resident()}
	for i, arg := range s.Cmd.Args {
		if arg == "--maxmemory" {
			a.maxmemory, _ = value.ParseMemory(s.Cmd.Args[i+1])
		}
	}
	return a
}

// watch asks the server for used_memory until stop is closed.
func (a *account) watch(s *server, stop chan struct{}) {
	nc, err := net.Dial("tcp", s.addr)
	if err != nil {
		return
	}
	defer nc.Close()
	reply := make([]byte, 64<<10)
	for {
		select {
		case <-stop:
			return
		case <-s.Done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		nc.Write([]byte("INFO memory\r\n"))
		nc.SetReadDeadline(time.Now().Add(patience))
		n, err := nc.Read(reply)
		if err != nil {
			return
		}
		_, rest, found := strings.Cut(string(reply[:n]), "used_memory:")
		used, _, _ := strings.Cut(rest, "\r")
		if bytes, err := strconv.ParseInt(used, 10, 64); found && err == nil {
			a.used = max(a.used, bytes)
			a.samples++
		}
	}
}

// check requires that the server has taken no more than it may.
func (a *account) check(t testing.TB) {
	t.Helper()
	t.Logf("resident %d MB, counted %d MB, at most (%d samples)", a.resident>>20, a.used>>20, a.samples)
	counted := 2 * a.used
	if a.maxmemory > 0 {
		counted = a.maxmemory
	} else if a.samples == 0 {
		return
	}
	require.Less(t, a.resident, a.idle+counted+a.limits+room, "memory that maxmemory does not count")
}
