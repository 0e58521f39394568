package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestMonitor(t *testing.T) {
	h := servertest.New(t)
	m := h.NewClient(t)
	m.Want("MONITOR", ok)
	const at = "1700000000.123456 [0 127.0.0.1:50001] "
	shows := func(line, want string) {
		t.Helper()
		h.Do(line)
		require.Equal(t, []any{resptest.Simple(at + want)}, m.TakePushes())
	}
	shows("keys *", `"keys" "*"`)
	shows(`SET k "a\"\\\n\r\t\a\b\x00\xff'"`, `"SET" "k" "a\"\\\n\r\t\a\b\x00\xff'"`)
}

func TestMonitorHides(t *testing.T) {
	h := servertest.New(t)
	m := h.NewClient(t)
	m.Do("MONITOR")
	for _, line := range []string{"CLIENT LIST", "DEBUG JMAP", "NOSUCH", "GET", "MONITOR"} {
		h.NewClient(t).Do(line)
	}
	require.Empty(t, m.TakePushes())
	h.Do("AUTH user password")
	h.Do("HELLO 3 AUTH default password SETNAME me")
	var shown []string
	for _, line := range m.TakePushes() {
		shown = append(shown, string(line.(resptest.Simple))[len("1700000000.123456 [0 127.0.0.1:50001] "):])
	}
	require.Equal(t, []string{`"AUTH" "(redacted)" "(redacted)"`, `"HELLO" "3" "AUTH" "(redacted)" "(redacted)" "SETNAME" "me"`}, shown)
}

func TestMonitorTransactions(t *testing.T) {
	h := servertest.New(t)
	m := h.NewClient(t)
	m.Do("MONITOR")
	h.Do("MULTI")
	h.Do("SELECT 3")
	h.Do("INCR k")
	h.Do("EXEC")
	const from = " 127.0.0.1:50001] "
	require.Equal(t, []any{
		resptest.Simple("1700000000.123456 [0" + from + `"MULTI"`),
		resptest.Simple("1700000000.123456 [3" + from + `"SELECT" "3"`),
		resptest.Simple("1700000000.123456 [3" + from + `"INCR" "k"`),
		resptest.Simple("1700000000.123456 [3" + from + `"EXEC"`),
	}, m.TakePushes())
}

func TestMonitorEnds(t *testing.T) {
	h := servertest.New(t)
	h.Do("MULTI")
	h.Do("MONITOR")
	h.Want("EXEC", []any{errMonitorDenied})
	h.Want("MONITOR", ok)
	h.Silent("MONITOR")
	h.Want("GET k", commands.Error("ERR Replica can't interact with the keyspace"))
	require.Equal(t, []any{resptest.Simple("PONG"), resptest.Simple(`1700000000.123456 [0 127.0.0.1:50001] "PING"`)}, h.All("PING"))
	require.Contains(t, h.NewClient(t).Do("CLIENT LIST ID 1"), " flags=O ")
	h.Do("RESET")
	h.Want("GET k", nil)
	h.TakePushes()
	m := h.NewClient(t)
	m.Do("PING")
	require.Empty(t, h.TakePushes(), "RESET ends it")

	m.Do("MONITOR")
	m.State.Closed()
	h.Do("PING")
	require.Empty(t, m.TakePushes(), "the end of the connection ends it")
}

func TestMonitorsAreNotPaused(t *testing.T) {
	h := servertest.New(t)
	h.Do("MONITOR")
	h.NewClient(t).Do("CLIENT PAUSE 1000")
	require.Len(t, h.All("PING"), 2)
}
