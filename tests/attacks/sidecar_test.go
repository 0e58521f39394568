package attacks

import (
	"bytes"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// startSidecar runs a hub and a sidecar of it.
func startSidecar(t *testing.T, directives ...string) (hub, side *server) {
	t.Helper()
	hub = start(t, "--appendonly", "no", "--save", "")
	return hub, start(t, append([]string{"--upstream", hub.addr}, directives...)...)
}

// TestFloodOfASidecar sends commands without an end while the hub stands still, and does not read. Each client is stopped
// after a megabyte, and others are answered. Then all goes on.
func TestFloodOfASidecar(t *testing.T) {
	const clients, flood = 16, 64 << 20
	hub, side := startSidecar(t, "--upstream-timeout", "60000") // a hub that is lost would refuse commands, and not hold them
	side.guard(256<<20, 128<<20)
	require.Equal(t, resptest.Simple("OK"), side.dial().Do("SET", "k", "v"))
	require.NoError(t, hub.Cmd.Process.Signal(syscall.SIGSTOP))
	request := bytes.Repeat(resptest.Command("SET", "k", string(make([]byte, 64<<10))), 16)
	var open []net.Conn
	for range clients {
		nc := side.connect()
		open = append(open, nc)
		require.NoError(t, nc.SetDeadline(time.Now().Add(300*time.Millisecond)))
		sent := 0
		for err := error(nil); err == nil && sent < flood; {
			var n int
			n, err = nc.Write(request)
			sent += n
		}
		require.Less(t, sent, flood, "the sidecar reads on")
	}
	side.alive()
	now, _ := side.memory()
	require.Less(t, now, int64(128<<20))
	require.NoError(t, hub.Cmd.Process.Signal(syscall.SIGCONT))
	for _, nc := range open {
		nc.Close()
	}
	require.Eventually(t, func() bool {
		return side.dial().Do("SET", "k", "v") == resptest.Simple("OK")
	}, patience, 50*time.Millisecond)
}

// TestManyKeysOfASidecar asks for many different limits. The sidecar remembers upstream-keys of them.
func TestManyKeysOfASidecar(t *testing.T) {
	_, side := startSidecar(t, "--upstream-timeout", "60000") // the machine may be busy
	guarded := side.guard(256<<20, 64<<20)
	c := side.dial()
	c.Do("PING")
	before, _ := side.memory()
	const batch = 1000
	for i := 0; i < rounds(200_000, 2_000_000); i += batch {
		var request []byte
		for j := range batch {
			request = append(request, resptest.Command("CL.THROTTLE", fmt.Sprint("user:", i+j), 15, 30, 60)...)
		}
		c.Write(request)
		for range batch {
			require.Equal(t, int64(16), c.Recv().([]any)[1])
		}
	}
	guarded() // its questions keep the sidecar from giving memory back
	require.Eventually(t, func() bool {
		now, _ := side.memory()
		return now-before < 52<<20
	}, patience, 100*time.Millisecond, "100,000 accounts take 40 MB, pages between them some more; garbage goes within a minute")
}

// TestSlowReaderOfASidecar asks for large values and reads nothing. It costs the sidecar a bounded memory, and others are
// answered. Once it reads, it gets all replies.
func TestSlowReaderOfASidecar(t *testing.T) {
	const replies, requests, size = 64 << 20, 400, 512 << 10
	_, side := startSidecar(t, "--upstream-timeout", "60000") // the machine may be busy
	side.guard(512<<20, 5*replies)
	c := side.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "big", string(make([]byte, size))))
	slow := side.dial()
	slow.Write(bytes.Repeat(resptest.Command("GET", "big"), requests))
	for range 20 {
		require.Equal(t, size, len(c.Do("GET", "big").(string)))
	}
	now, _ := side.memory()
	require.Less(t, now, int64(5*replies))
	for range requests {
		require.Equal(t, size, len(slow.Recv().(string)))
	}
}
