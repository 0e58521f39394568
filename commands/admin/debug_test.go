package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClockBounds(t *testing.T) {
	h := servertest.New(t)
	h.Want("DEBUG CLOCK SET -1", commands.ErrNotPositive)
	h.Want("DEBUG CLOCK SET 9223372036854775807", ok)
	h.Want("DEBUG CLOCK ADVANCE 1", commands.ErrOutOfRange)
	h.Want("DEBUG CLOCK ADVANCE -9223372036854775808", commands.ErrOutOfRange)
	h.Want("TIME", []string{"9223372036", "854775"})
	h.Want("SET a b PX 1", ok)
	h.Want("PTTL a", 1)
	h.Want("CL.THROTTLE k 1 1 1", commands.Error("ERR quantity reaches too far: the quota would not be full again before the year 2262"))
	h.Want("DEBUG CLOCK SET 0", ok)
	h.Want("DEBUG CLOCK ADVANCE -1", commands.ErrOutOfRange)
	h.Want("CL.THROTTLE k 1 1 1", []any{0, 2, 1, -1, 1})
	h.Want("SET a b PX 1", ok)
	h.Want("PTTL a", 1)
}

func TestSleep(t *testing.T) {
	h := servertest.New(t)
	h.Want("DEBUG SLEEP -1", ok)
	h.Want("DEBUG SLEEP x", commands.ErrNotFloat)
	h.Send(resptest.Command("DEBUG", "SLEEP", "1e300"))
	require.Equal(t, resp.Retry, h.Status)
	h.Clock.Advance(1e9)
	require.Equal(t, resp.Retry, h.Session.Resume())
	require.EqualValues(t, longestSleep*int64(1e9)-1e9, h.State.RetryAfter())
}

func TestClockWakes(t *testing.T) {
	h := servertest.New(t)
	for _, line := range []string{"DEBUG CLOCK SET 5", "DEBUG CLOCK ADVANCE 5", "DEBUG CLOCK RESUME"} {
		h.Woken.Store(0)
		h.Do(line)
		require.EqualValues(t, 1, h.Woken.Load(), line)
	}
}

func TestDebugSleepInsideATransaction(t *testing.T) {
	h := servertest.New(t)
	h.Do("MULTI")
	h.Do("DEBUG SLEEP 0.001")
	h.Do("INCR n")
	h.Want("EXEC", []any{ok, 1})
}
