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
	require.Eventually(t, func() bool { return in.commands.Clients() == 2 }, patience, time.Millisecond)
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
}

func TestMaxClientsFitsTheSystem(t *testing.T) {
	in := start(t, "--maxclients", "2000000000")
	c := in.dial(t)
	require.Equal(t, []any{"maxclients", fmt.Sprint(min(mostClients(), 2000000000))}, c.Do("CONFIG", "GET", "maxclients"))
	if most := mostClients(); most < 2000000000 {
		require.Contains(t, in.log.String(), "maxclients is lowered")
		require.Equal(t, resptest.Error(fmt.Sprintf("ERR CONFIG SET failed (possibly related to argument 'maxclients') - "+
			"The operating system is not able to handle the specified number of clients, try with %d", most)),
			c.Do("CONFIG", "SET", "maxclients", most+1))
	}
}

func TestProtectedModeKeepsStrangersOut(t *testing.T) {
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
		{func(c *config.Config) { c.RequirePass = "secret" }, far, false},
		{func(c *config.Config) { c.ProtectedMode = false }, far, false},
	} {
		cfg := config.Default()
		test.change(cfg)
		require.Equal(t, test.want, protects(cfg, test.from), "%v", test.from)
	}
}

// Over an address of this machine that is not the loopback, and with Redis's words.
func TestProtectedModeOverTheWire(t *testing.T) {
	host := outerAddress(t)
	in := start(t, "--bind", host, "127.0.0.1")
	stranger := in.dial(t)
	require.Equal(t, resptest.Error(protectedMode), stranger.Recv())
	requireClosed(t, stranger)
	port := in.Addr().(*net.TCPAddr).Port
	ok(t, resptest.Dial(t, fmt.Sprintf("127.0.0.1:%d", port)), "CONFIG", "SET", "protected-mode", "no")
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
}

// outerAddress is an IPv4 address of this machine that others may reach.
func outerAddress(t *testing.T) string {
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range all {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.To4() != nil && ip.IsGlobalUnicast() {
			return ip.String()
		}
	}
	t.Skip("this machine has no address but its loopback")
	return ""
}

// The patrol's clock is the test's here.
func TestTimeoutClosesIdleClients(t *testing.T) {
	in := start(t)
	idle, monitor, admin := in.dial(t), in.dial(t), in.dial(t)
	for _, c := range []*resptest.Client{idle, admin} { // whoever was answered is counted
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	}
	ok(t, monitor, "MONITOR")
	later := in.clock.Monotonic() + int64(time.Hour)
	in.patrol(later)
	require.Equal(t, 3, in.commands.Clients(), "timeout is 0 at first")

	ok(t, admin, "CONFIG", "SET", "timeout", 7200)
	in.patrol(later)
	require.Equal(t, resptest.Simple("PONG"), idle.Do("PING"))
	ok(t, admin, "CONFIG", "SET", "timeout", 60)
	in.patrol(later)
	requireClosed(t, idle)
	requireClosed(t, admin)
	require.Eventually(t, func() bool { return in.commands.Clients() == 1 }, patience, time.Millisecond, "the monitor stays")
}

func TestSoftOutputLimit(t *testing.T) {
	in := start(t, "--client-output-buffer-limit", "normal 0 1000 30")
	c := in.dial(t)
	ok(t, c, "SET", "big", strings.Repeat("x", 8<<20))
	c.Write(bytes.Repeat(resptest.Command("GET", "big"), 4)) // and reads none of it
	require.Eventually(t, func() bool { return in.pending() > 1000 }, patience, time.Millisecond)
	now := in.clock.Monotonic() + int64(time.Minute)
	in.patrol(now)
	in.patrol(now + int64(29*time.Second))
	require.Equal(t, 1, in.commands.Clients())
	in.patrol(now + int64(31*time.Second))
	require.Eventually(t, func() bool { return in.commands.Clients() == 0 }, patience, time.Millisecond)
	require.Contains(t, in.log.String(), "does not take its replies")
}

func TestTrafficIsCounted(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	request := resptest.Command("PING")
	for range 10 {
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	}
	// A reply is counted when it has left: a moment after the client may have it.
	require.Eventually(t, func() bool { return in.usage().Output == int64(10*len("+PONG\r\n")) }, patience, time.Millisecond)
	u := in.usage()
	require.Equal(t, int64(10*len(request)), u.Input)
	require.Equal(t, int64(10*len("+PONG\r\n")), u.Output)
	require.Equal(t, int64(10), u.Reads)
	require.Equal(t, int64(10), u.Writes)
}
