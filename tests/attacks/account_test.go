package attacks

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// account compares what the server counts against maxmemory (used_memory) with its resident memory, at their peaks.
type account struct {
	resident int64 // bytes, at most
	used     int64
	samples  int
}

// uncounted is how much the resident memory may exceed twice what is counted, in bytes. It is the program, and what the running
// batch holds. Twice, because garbage may be as much as what lives: most of these servers have no maxmemory.
const uncounted = 96 << 20

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
		case <-s.done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		nc.Write([]byte("INFO memory\r\n"))
		nc.SetReadDeadline(time.Now().Add(10 * time.Second))
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

// check requires that the server has counted most of what it took.
func (a *account) check(t testing.TB) {
	t.Helper()
	if a.samples == 0 {
		return
	}
	t.Logf("resident %d MB, counted %d MB, at most (%d samples)", a.resident>>20, a.used>>20, a.samples)
	require.Less(t, a.resident, 2*a.used+uncounted, "memory that maxmemory does not count")
}
