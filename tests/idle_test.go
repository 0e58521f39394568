//go:build unix

package tests

import (
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// idleMemory bounds the memory of an idle connection, in bytes, with its goroutine and with the test's end of it.
const idleMemory = 32 << 10

// TestIdleConnections holds 10,000 clients, or as many as the limit on open files allows at both ends.
func TestIdleConnections(t *testing.T) {
	n := idleConnections(t)
	addr := startServer(t, "--maxclients", "20000")
	admin := resptest.Dial(t, addr)
	admin.Do("PING")
	before := settled()
	conns := make([]net.Conn, n)
	ping, pong := resptest.Command("PING"), make([]byte, len("+PONG\r\n"))
	for i := range conns {
		nc, err := net.Dial("tcp", addr)
		require.NoError(t, err, "connection %d", i)
		t.Cleanup(func() { nc.Close() })
		conns[i] = nc
		_, err = nc.Write(ping)
		require.NoError(t, err)
		_, err = nc.Read(pong)
		require.NoError(t, err)
	}
	require.Equal(t, n+1, connected(t, admin))
	each := (settled().memory - before.memory) / n
	t.Logf("%d connections, %d bytes each", n, each)
	require.Less(t, each, idleMemory)

	for _, nc := range conns {
		nc.Close()
	}
	require.Eventually(t, func() bool { return connected(t, admin) == 1 }, time.Minute, 10*time.Millisecond)
	require.Less(t, settled().goroutines, before.goroutines+10)
}

// idleConnections returns how many connections to hold.
func idleConnections(t *testing.T) int {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	most := 10_000
	if testing.Short() {
		most = 1000
	}
	n := min(most, (int(min(limit.Cur, 1<<20))-200)/2)
	if n < 100 {
		skip(t, "the limit on open files leaves no room for connections: raise it with ulimit -n")
	}
	return n
}

// connected asks the server for its number of clients.
func connected(t *testing.T, c *resptest.Client) int {
	list, ok := c.Do("CLIENT", "LIST").(string)
	require.True(t, ok)
	return strings.Count(list, "\n")
}
