package transport

import (
	"bytes"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestMemoryOfConnections: the memory of connections is counted, with event loops and with workers. Closed connections
// leave nothing in the count.
func TestMemoryOfConnections(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		// The system takes some megabytes of each client.
		grows := func(to int64, held string, do func(c *resptest.Client)) {
			t.Helper()
			do(resptest.Dial(t, s.addr))
			counted := func() bool { return s.Memory() >= to }
			require.Eventually(t, counted, time.Minute, time.Millisecond, "%s: %d bytes", held, s.Memory())
		}
		grows(3<<20, "a request", func(c *resptest.Client) {
			c.Write([]byte("*1\r\n$4000000\r\n"))
			c.Write(make([]byte, 3<<20))
		})
		grows(11<<20, "replies", func(c *resptest.Client) { c.Write([]byte(wire("BIG", "16000000"))) })
		grows(22<<20, "messages", func(c *resptest.Client) {
			require.NotNil(t, c.Do("PING"))
			for range 16 {
				s.conn(2).Push(bytes.Repeat([]byte("x"), 1<<20))
			}
		})
		for i := range 3 {
			s.conn(i).Close()
		}
		require.Eventually(t, func() bool { return s.Memory() == 0 }, time.Minute, time.Millisecond, "%d bytes", s.Memory())
		c := resptest.Dial(t, s.addr)
		for range 100 {
			c.Do("short")
		}
		require.Zero(t, s.Memory(), "short requests are not counted")
		c.Do("BIG", "1000000")
		require.NotNil(t, c.Do("short"))
		require.Less(t, s.Memory(), int64(200_000))
	})
}
