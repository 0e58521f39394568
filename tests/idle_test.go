//go:build unix

package tests

import (
	"fmt"
	"io"
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

	waitingClients(t, admin, conns)
	for _, nc := range conns {
		nc.Close()
	}
	require.Eventually(t, func() bool { return connected(t, admin) == 1 }, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return settled().goroutines < before.goroutines+10 }, time.Minute, 10*time.Millisecond)
}

// waitingMemory bounds what a client takes beside the memory of an idle one while it waits for a key, in bytes.
var waitingMemory = 8 << 10

// waitingClients lets all clients wait for a list. They take no processor time and little memory, and a push serves the
// first ones in the order of their arrival.
func waitingClients(t *testing.T, admin *resptest.Client, conns []net.Conn) {
	t.Helper()
	before := settled()
	for i, nc := range conns {
		_, err := nc.Write(resptest.Command("BLPOP", "jobs", 0))
		require.NoError(t, err)
		if i < 2 { // they come first
			require.Eventually(t, func() bool { return blocked(admin) == i+1 }, time.Minute, time.Millisecond)
		}
	}
	require.Eventually(t, func() bool { return blocked(admin) == len(conns) }, time.Minute, 10*time.Millisecond)
	each := (settled().memory - before.memory) / len(conns)
	used := processorTime(t)
	time.Sleep(time.Second)
	used = processorTime(t) - used
	t.Logf("%d waiting clients, %d bytes each, %v of processor time in a second", len(conns), each, used)
	require.Less(t, each, waitingMemory)
	require.Less(t, used, 100*time.Millisecond)

	require.EqualValues(t, 2, admin.Do("RPUSH", "jobs", "first", "second"))
	for i, job := range []string{"first", "second"} {
		reply := make([]byte, len("*2\r\n$4\r\njobs\r\n$5\r\nfirst\r\n")+i)
		_, err := io.ReadFull(conns[i], reply)
		require.NoError(t, err)
		require.Contains(t, string(reply), job)
	}
}

// blocked asks the server how many clients wait.
func blocked(c *resptest.Client) (n int) {
	_, rest, _ := strings.Cut(fmt.Sprint(c.Do("INFO", "clients")), "\r\nblocked_clients:")
	_, _ = fmt.Sscan(rest, &n)
	return n
}

// processorTime returns the processor time of the process so far. The server runs in it.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
