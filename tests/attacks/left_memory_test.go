package attacks

import (
	"bytes"
	"fmt"
	"net"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestMemoryOfClientsThatLeft fills the buffers of clients, which then leave. Before, 784 MB stayed resident for 150 s and more with
// no key, and MEMORY PURGE brought them to 20 MB. Now the memory is back within seconds, or within a minute on a busy machine.
func TestMemoryOfClientsThatLeft(t *testing.T) {
	s := start(t, "--appendonly", "no", "--save", "")
	s.guard(2 << 30)
	c := s.dial()
	empty, _ := s.memory()
	const each = 4 << 20
	part := bytes.Repeat([]byte("x"), each)
	var conns []net.Conn
	for range rounds(50, 190) {
		nc := s.connect()
		_, err := fmt.Fprintf(nc, "*2\r\n$4\r\nPING\r\n$%d\r\n", each+1)
		require.NoError(t, err)
		_, err = nc.Write(part)
		require.NoError(t, err)
		conns = append(conns, nc)
	}
	// The server verifies in real time what lives. At that moment the clients must still be there.
	time.Sleep(3 * time.Second)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	full := int64(0)
	require.Eventually(t, func() bool { // it has read all parts
		full, _ = s.memory()
		return full > int64(len(conns))*each
	}, patience, 10*time.Millisecond)
	for _, nc := range conns {
		nc.Close()
	}
	left := time.Now()
	now := full
	for now > empty*13/10+32<<20 && time.Since(left) < patience {
		time.Sleep(50 * time.Millisecond)
		now, _ = s.memory()
	}
	t.Logf("%d MB with the clients, %d MB %v after they left, %d MB before", full>>20, now>>20, time.Since(left).Round(time.Second/10), empty>>20)
	require.LessOrEqual(t, now, empty*13/10+32<<20, "it took minutes before, and now seconds")
	s.alive()
}
