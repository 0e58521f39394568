package app

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"cellserver/internal/config"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestMaxClients(t *testing.T) {
	in := start(t, "--maxclients", "2")
	first, second := in.dial(t), in.dial(t)
	require.Equal(t, resptest.Simple("PONG"), first.Do("PING"))
	require.Equal(t, resptest.Simple("PONG"), second.Do("PING"))
	third := in.dial(t)
	require.Equal(t, resptest.Error("ERR max number of clients reached"), third.Recv())
	requireClosed(t, third)
	require.Contains(t, first.Do("INFO", "stats"), "rejected_connections:1\r\n")

	ok(t, first, "CONFIG", "SET", "maxclients", 3)
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	second.Close()
	require.Eventually(t, func() bool { return in.server.Clients() == 2 }, timeout, time.Millisecond)
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
}

// TestRefusedConnectionsAreLogged: the log says at most once a minute that maxclients is reached. The test gives
// the patrol its time.
func TestRefusedConnectionsAreLogged(t *testing.T) {
	in := start(t, "--maxclients", "1")
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	later := in.clock.Monotonic() + int64(time.Hour)
	in.peers.mu.Lock()
	in.peers.silent = later // so that the patrol of the server says nothing
	in.peers.mu.Unlock()
	refuse := func(n int) {
		for range n {
			require.Equal(t, resptest.Error("ERR max number of clients reached"), in.dial(t).Recv())
		}
	}
	refuse(3)
	in.peers.patrol(later - 1)
	require.NotContains(t, in.log.String(), "connections were refused")
	in.peers.patrol(later)
	refuse(2)
	in.peers.patrol(later + int64(time.Minute) - 1)
	require.Contains(t, in.log.String(), "refused=3 maxclients=1")
	require.NotContains(t, in.log.String(), "refused=2")
	in.peers.patrol(later + int64(time.Minute))
	in.peers.patrol(later + int64(time.Hour))
	require.Contains(t, in.log.String(), "refused=2 maxclients=1")
	require.Equal(t, 2, strings.Count(in.log.String(), "connections were refused"))
}

func TestMaxClientsIsLowered(t *testing.T) {
	in := start(t, "--maxclients", "2000000000")
	c := in.dial(t)
	require.Equal(t, []any{"maxclients", fmt.Sprint(min(maxClients(in.server.Config()), 2000000000))}, c.Do("CONFIG", "GET", "maxclients"))
	if limit := maxClients(in.server.Config()); limit < 2000000000 {
		require.Contains(t, in.log.String(), "maxclients is lowered")
		require.Equal(t, resptest.Error(fmt.Sprintf("ERR CONFIG SET failed (possibly related to argument 'maxclients') - "+
			"The operating system is not able to handle the specified number of clients, try with %d", limit)),
			c.Do("CONFIG", "SET", "maxclients", limit+1))
	}
}

func TestProtectedModeRefusesOtherMachines(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7)}, &net.TCPAddr{IP: net.IPv6loopback}
	for _, test := range []struct {
		change func(*config.Config)
		from   net.Addr
		want   bool
	}{
		{func(*config.Config) {}, far, true},
		{func(*config.Config) {}, near, false},
		{func(*config.Config) {}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, false},
		{func(*config.Config) {}, &net.UnixAddr{Name: "/s", Net: "unix"}, false},
		{func(c *config.Config) { c.ProtectedMode = false }, far, false},
	} {
		cfg := config.Default()
		test.change(cfg)
		require.Equal(t, test.want, protects(cfg, true, test.from), "%v", test.from)
		require.False(t, protects(cfg, false, test.from), "%v: the default user has a password", test.from)
	}
}

// The client uses an address of this machine that is not the loopback. The error is Redis's text.
func TestProtectedModeOverTheWire(t *testing.T) {
	host := outerAddress(t)
	in := start(t, "--bind", host, "127.0.0.1")
	outsider := in.dial(t)
	require.Equal(t, resptest.Error(protectedMode), outsider.Recv())
	requireClosed(t, outsider)
	port := in.Addr().(*net.TCPAddr).Port
	ok(t, resptest.Dial(t, fmt.Sprintf("127.0.0.1:%d", port)), "CONFIG", "SET", "protected-mode", "no")
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
}

// outerAddress returns an IPv4 address of this machine that is not the loopback.
func outerAddress(t *testing.T) string {
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range all {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.To4() != nil && ip.IsGlobalUnicast() {
			return ip.String()
		}
	}
	t.Skip("this machine has only the loopback address")
	return ""
}

// The test gives the patrol its time.
func TestTimeoutClosesIdleClients(t *testing.T) {
	in := start(t)
	idle, monitor, admin := in.dial(t), in.dial(t), in.dial(t)
	for _, c := range []*resptest.Client{idle, admin} { // a client with a reply is counted
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	}
	ok(t, monitor, "MONITOR")
	later := in.clock.Monotonic() + int64(time.Hour)
	in.peers.patrol(later)
	require.Equal(t, 3, in.server.Clients(), "timeout is 0 by default")

	ok(t, admin, "CONFIG", "SET", "timeout", 7200)
	in.peers.patrol(later)
	require.Equal(t, resptest.Simple("PONG"), idle.Do("PING"))
	ok(t, admin, "CONFIG", "SET", "timeout", 60)
	in.peers.patrol(later)
	requireClosed(t, idle)
	requireClosed(t, admin)
	require.Eventually(t, func() bool { return in.server.Clients() == 1 }, timeout, time.Millisecond, "the monitor stays")
}

func TestSoftOutputLimit(t *testing.T) {
	in := start(t, "--client-output-buffer-limit", "normal 0 1000 30")
	c := in.dial(t)
	ok(t, c, "SET", "big", strings.Repeat("x", 8<<20))
	before := in.clock.Monotonic()
	c.Write(bytes.Repeat(resptest.Command("GET", "big"), 4)) // and does not read the replies
	require.Eventually(t, func() bool { return in.pending() > 1000 }, timeout, time.Millisecond)
	after := in.clock.Monotonic()
	in.peers.patrol(after) // unless the patrol of the server was here before
	in.peers.patrol(before + int64(30*time.Second))
	require.Equal(t, 1, in.server.Clients())
	in.peers.patrol(after + int64(31*time.Second))
	require.Eventually(t, func() bool { return in.server.Clients() == 0 }, timeout, time.Millisecond)
	require.Contains(t, in.log.String(), "does not read its replies")
}

func TestTrafficIsCounted(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	request := resptest.Command("PING")
	for range 10 {
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	}
	// The server counts a reply after it has sent it, so the client can have the reply before.
	require.Eventually(t, func() bool { return in.usage().Output == int64(10*len("+PONG\r\n")) }, timeout, time.Millisecond)
	u := in.usage()
	require.Equal(t, int64(10*len(request)), u.Input)
	require.Equal(t, int64(10*len("+PONG\r\n")), u.Output)
	require.Equal(t, int64(10), u.Reads)
	require.Equal(t, int64(10), u.Writes)
}

// TestClientsWhileOthersConnect: other connections see a client only when it is complete. The race detector would find it.
func TestClientsWhileOthersConnect(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			resptest.Dial(t, in.Addr().String()).Close()
		}
	}()
	for connecting := true; connecting; {
		select {
		case <-done:
			connecting = false
		default:
			require.Contains(t, c.Do("CLIENT", "LIST"), "id=1 ")
		}
	}
}
