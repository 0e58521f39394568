package connection

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClientPause(t *testing.T) {
	h := servertest.New(t)
	for line, want := range map[string]string{
		"CLIENT PAUSE":                     "ERR wrong number of arguments for 'client|pause' command",
		"CLIENT PAUSE x":                   "ERR timeout is not an integer or out of range",
		"CLIENT PAUSE -1":                  "ERR timeout is negative",
		"CLIENT PAUSE 9223372036854775807": "ERR timeout is out of range",
		"CLIENT PAUSE 1 some":              "ERR CLIENT PAUSE mode must be WRITE or ALL",
		"CLIENT PAUSE 1 ALL more":          "ERR unknown subcommand or wrong number of arguments for 'PAUSE'. Try CLIENT HELP.",
	} {
		h.Want(line, commands.Error(want))
	}
	other := h.NewClient(t)
	h.Want("CLIENT PAUSE 0", ok)
	h.Do("PING")
	h.Want("CLIENT PAUSE 1000", ok)
	other.Want("GET", commands.Error("ERR wrong number of arguments for 'get' command"))
	pong := other.HeldBack("PING")
	require.EqualValues(t, 1, h.Server.Blocked())
	unpaused := h.HeldBack("CLIENT UNPAUSE")
	h.Advance(time.Second)
	other.Status = other.Session.Resume()
	require.Equal(t, resp.Retry, other.Status, "the last millisecond is part of the pause")
	h.Advance(time.Millisecond)
	require.Equal(t, ok, unpaused())
	require.Equal(t, resptest.Simple("PONG"), pong())
	require.Zero(t, h.Server.Blocked())
}

func TestClientPauseWrite(t *testing.T) {
	h := servertest.New(t)
	writer, other := h.NewClient(t), h.NewClient(t)
	writer.Do("MULTI")
	writer.Do("INCR k")
	h.Do("CLIENT PAUSE 60000 WRITE")
	other.Want("GET k", nil)
	done := other.HeldBack("INCR k")
	exec := writer.HeldBack("EXEC")
	require.Contains(t, h.Do("CLIENT LIST ID 2"), " flags=xb ")
	h.Do("MULTI")
	h.Do("GET k")
	h.Want("EXEC", []any{nil})
	h.Do("CLIENT PAUSE 1 WRITE")
	h.Advance(59 * time.Second)
	require.Equal(t, resp.Retry, other.Session.Resume(), "a shorter pause does not shorten one in force")
	h.Do("CLIENT UNPAUSE")
	require.Equal(t, int64(1), done())
	require.Equal(t, []any{int64(2)}, exec())
}

func TestClientPauseEndsByTheTestClock(t *testing.T) {
	h := servertest.New(t)
	h.Do("CLIENT PAUSE 1000")
	h.Want("DEBUG CLOCK ADVANCE 1001000000", ok)
	h.Want("CLIENT UNPAUSE", ok)
}

func TestClientPauseWakes(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Do("CLIENT PAUSE 1000 WRITE")
	other.HeldBack("INCR k")
	require.EqualValues(t, 1000*1e6-servertest.Start%1e6+1e6, other.State.RetryAfter(), "the first nanosecond after the last millisecond")
	require.Zero(t, other.Woken.Load())
	h.Do("CLIENT UNPAUSE")
	require.EqualValues(t, 1, other.Woken.Load())
	require.LessOrEqual(t, other.State.RetryAfter(), int64(0))
	h.Do("CLIENT PAUSE 9223372036854775 WRITE")
	require.EqualValues(t, resp.NoTime, other.State.RetryAfter())
}

func TestPausedKeysDoNotExpireInTheBackground(t *testing.T) {
	h := servertest.New(t)
	require.True(t, h.Server.MayExpire(servertest.Start))
	h.Do("CLIENT PAUSE 1000 WRITE")
	require.False(t, h.Server.MayExpire(servertest.Start+int64(time.Second)))
	require.True(t, h.Server.MayExpire(servertest.Start+int64(1001*time.Millisecond)))
	h.Do("DEBUG SET-ACTIVE-EXPIRE 0")
	require.False(t, h.Server.MayExpire(servertest.Start+int64(time.Hour)))
}

// TestClientPauseHoldsCommandsThatWait: a command whose own wait is over within a pause runs again at the end of the
// pause, and not all the time.
func TestClientPauseHoldsCommandsThatWait(t *testing.T) {
	h := servertest.New(t)
	timed, unblocked := h.NewClient(t), h.NewClient(t)
	timedOut, ended := timed.HeldBack("WAIT 1 100"), unblocked.HeldBack("WAIT 1 0")
	h.Want("CLIENT UNBLOCK 3 TIMEOUT", 1)
	h.Do("CLIENT PAUSE 10000")
	h.Advance(200 * time.Millisecond)
	for _, c := range []*servertest.Client{timed, unblocked} {
		require.Equal(t, resp.Retry, c.Session.Resume())
		require.EqualValues(t, 9801*1e6-servertest.Start%1e6, c.State.RetryAfter())
	}
	h.Advance(10 * time.Second)
	require.EqualValues(t, 0, timedOut())
	require.EqualValues(t, 0, ended())
}
