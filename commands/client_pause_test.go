package commands

import (
	"testing"
	"time"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// heldBack sends a command that must wait, and returns what its reply is once it need
// not any more.
func (c *testClient) heldBack(line string) func() any {
	c.t.Helper()
	c.silent(line)
	require.Equal(c.t, resp.Retry, c.status, line)
	return func() any {
		c.t.Helper()
		c.status = c.session.Resume()
		require.NotEqual(c.t, resp.Retry, c.status, line)
		reply, _, err := resptest.Parse(c.session.Output())
		require.NoError(c.t, err)
		c.session.Sent()
		return reply
	}
}

func TestClientPause(t *testing.T) {
	h := newHarness(t)
	for line, want := range map[string]string{
		"CLIENT PAUSE":                     "ERR wrong number of arguments for 'client|pause' command",
		"CLIENT PAUSE x":                   "ERR timeout is not an integer or out of range",
		"CLIENT PAUSE -1":                  "ERR timeout is negative",
		"CLIENT PAUSE 9223372036854775807": "ERR timeout is out of range",
		"CLIENT PAUSE 1 some":              "ERR CLIENT PAUSE mode must be WRITE or ALL",
		"CLIENT PAUSE 1 ALL more":          "ERR unknown subcommand or wrong number of arguments for 'PAUSE'. Try CLIENT HELP.",
	} {
		h.want(line, Error(want))
	}
	other := h.client(t)
	h.want("CLIENT PAUSE 0", ok)
	h.do("PING")
	h.want("CLIENT PAUSE 1000", ok)
	other.want("GET", Error("ERR wrong number of arguments for 'get' command"))
	pong := other.heldBack("PING")
	require.EqualValues(t, 1, h.server.Blocked())
	unpaused := h.heldBack("CLIENT UNPAUSE")
	h.advance(time.Second)
	other.status = other.session.Resume()
	require.Equal(t, resp.Retry, other.status, "the last millisecond is part of the pause")
	h.advance(time.Millisecond)
	require.Equal(t, ok, unpaused())
	require.Equal(t, resptest.Simple("PONG"), pong())
	require.Zero(t, h.server.Blocked())
}

func TestClientPauseWrite(t *testing.T) {
	h := newHarness(t)
	writer, other := h.client(t), h.client(t)
	writer.do("MULTI")
	writer.do("INCR k")
	h.do("CLIENT PAUSE 60000 WRITE")
	other.want("GET k", nil)
	done := other.heldBack("INCR k")
	exec := writer.heldBack("EXEC")
	require.Contains(t, h.do("CLIENT LIST ID 2"), " flags=xb ")
	h.do("MULTI")
	h.do("GET k")
	h.want("EXEC", []any{nil})
	h.do("CLIENT PAUSE 1 WRITE")
	h.advance(59 * time.Second)
	require.Equal(t, resp.Retry, other.session.Resume(), "a shorter pause does not shorten one in force")
	h.do("CLIENT UNPAUSE")
	require.Equal(t, int64(1), done())
	require.Equal(t, []any{int64(2)}, exec())
}

func TestClientPauseEndsByTheTestClock(t *testing.T) {
	h := newHarness(t)
	h.do("CLIENT PAUSE 1000")
	h.want("DEBUG CLOCK ADVANCE 1001000000", ok)
	h.want("CLIENT UNPAUSE", ok)
}

func TestPausedKeysDoNotExpireInTheBackground(t *testing.T) {
	h := newHarness(t)
	require.True(t, h.server.MayExpire(start))
	h.do("CLIENT PAUSE 1000 WRITE")
	require.False(t, h.server.MayExpire(start+int64(time.Second)))
	require.True(t, h.server.MayExpire(start+int64(1001*time.Millisecond)))
	h.do("DEBUG SET-ACTIVE-EXPIRE 0")
	require.False(t, h.server.MayExpire(start+int64(time.Hour)))
}
