package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestMonitor(t *testing.T) {
	h := newHarness(t)
	m := h.client(t)
	m.want("MONITOR", ok)
	const at = "1700000000.123456 [0 127.0.0.1:50001] "
	shows := func(line, want string) {
		t.Helper()
		h.do(line)
		require.Equal(t, []any{resptest.Simple(at + want)}, m.told())
	}
	shows("keys *", `"keys" "*"`)
	shows(`SET k "a\"\\\n\r\t\a\b\x00\xff'"`, `"SET" "k" "a\"\\\n\r\t\a\b\x00\xff'"`)
}

func TestMonitorHides(t *testing.T) {
	h := newHarness(t)
	m := h.client(t)
	m.do("MONITOR")
	for _, line := range []string{"CLIENT LIST", "DEBUG JMAP", "NOSUCH", "GET", "MONITOR"} {
		h.client(t).do(line)
	}
	require.Empty(t, m.told())
	h.do("AUTH user password")
	h.do("HELLO 3 AUTH default password SETNAME me")
	var shown []string
	for _, line := range m.told() {
		shown = append(shown, string(line.(resptest.Simple))[len("1700000000.123456 [0 127.0.0.1:50001] "):])
	}
	require.Equal(t, []string{`"AUTH" "(redacted)" "(redacted)"`, `"HELLO" "3" "AUTH" "(redacted)" "(redacted)" "SETNAME" "me"`}, shown)
}

func TestMonitorTransactions(t *testing.T) {
	h := newHarness(t)
	m := h.client(t)
	m.do("MONITOR")
	h.do("MULTI")
	h.do("SELECT 3")
	h.do("INCR k")
	h.do("EXEC")
	const from = " 127.0.0.1:50001] "
	require.Equal(t, []any{
		resptest.Simple("1700000000.123456 [0" + from + `"MULTI"`),
		resptest.Simple("1700000000.123456 [3" + from + `"SELECT" "3"`),
		resptest.Simple("1700000000.123456 [3" + from + `"INCR" "k"`),
		resptest.Simple("1700000000.123456 [3" + from + `"EXEC"`),
	}, m.told())
}

func TestMonitorEnds(t *testing.T) {
	h := newHarness(t)
	h.do("MULTI")
	h.do("MONITOR")
	h.want("EXEC", []any{errMonitorDenied})
	h.want("MONITOR", ok)
	h.silent("MONITOR")
	h.want("GET k", errMonitorKeys)
	require.Equal(t, []any{resptest.Simple("PONG"), resptest.Simple(`1700000000.123456 [0 127.0.0.1:50001] "PING"`)}, h.all("PING"))
	require.Contains(t, h.client(t).do("CLIENT LIST ID 1"), " flags=O ")
	h.do("RESET")
	h.want("GET k", nil)
	require.Zero(t, h.server.monitors.on.Load())

	m := h.client(t)
	m.do("MONITOR")
	m.state.Closed()
	require.Zero(t, h.server.monitors.on.Load())
}

func TestMonitorsAreNotPaused(t *testing.T) {
	h := newHarness(t)
	h.do("MONITOR")
	h.client(t).do("CLIENT PAUSE 1000")
	require.Len(t, h.all("PING"), 2)
}
