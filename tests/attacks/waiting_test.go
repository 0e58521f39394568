package attacks

import (
	"fmt"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestWaitingClientsCostNothing has 2,000 clients wait: half in WAIT, half under CLIENT PAUSE WRITE. Before, each was
// polled every 32 ms: with 5,000 in WAIT, the PINGs of another client took 40–215 ms (p50), with 9,000 under CLIENT
// PAUSE 7.7 s. Now the event that a client waits for wakes the client.
func TestWaitingClientsCostNothing(t *testing.T) {
	n := rounds(1000, 4500)
	s := start(t, "--save", "", "--maxclients", "10000")
	s.guard(1 << 30)
	admin := s.dial()
	waiting, paused := make([]*resptest.Client, n), make([]*resptest.Client, n)
	for i := range n {
		waiting[i], paused[i] = s.dial(), s.dial()
		waiting[i].Send("WAIT", 1, 0)
	}
	require.Equal(t, resptest.Simple("OK"), admin.Do("CLIENT", "PAUSE", 600_000, "WRITE"))
	for i := range n {
		paused[i].Send("SET", fmt.Sprint("key:", i), 1)
	}
	require.Eventually(t, func() bool { return s.info("blocked_clients") == fmt.Sprint(2*n) }, patience, 50*time.Millisecond)
	used := s.cpu()
	time.Sleep(2 * time.Second)
	used = s.cpu() - used
	t.Logf("%v of CPU in 2 s", used)
	require.LessOrEqual(t, used, 500*time.Millisecond)
	s.calm(func(p50, _ time.Duration) bool { return p50 <= 2*time.Millisecond })
	begun := time.Now()
	require.Equal(t, resptest.Simple("OK"), admin.Do("CLIENT", "UNPAUSE"))
	for _, c := range paused {
		require.Equal(t, resptest.Simple("OK"), c.Recv())
	}
	t.Logf("all answered %v after CLIENT UNPAUSE", time.Since(begun))
	s.alive()
}
