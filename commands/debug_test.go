package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestClockBounds(t *testing.T) {
	h := newHarness(t)
	h.want("DEBUG CLOCK SET -1", errNotPositive)
	h.want("DEBUG CLOCK SET 9223372036854775807", ok)
	h.want("DEBUG CLOCK ADVANCE 1", errOutOfRange)
	h.want("DEBUG CLOCK ADVANCE -9223372036854775808", errOutOfRange)
	h.want("TIME", []string{"9223372036", "854775"})
	h.want("SET a b PX 1", ok)
	h.want("PTTL a", 1)
	h.want("CL.THROTTLE k 1 1 1", Error("ERR quantity reaches too far: the quota would not be full again before the year 2262"))
	h.want("DEBUG CLOCK SET 0", ok)
	h.want("DEBUG CLOCK ADVANCE -1", errOutOfRange)
	h.want("CL.THROTTLE k 1 1 1", []any{0, 2, 1, -1, 1})
	h.want("SET a b PX 1", ok)
	h.want("PTTL a", 1)
}

func TestSleep(t *testing.T) {
	h := newHarness(t)
	h.want("DEBUG SLEEP -1", ok)
	h.want("DEBUG SLEEP x", errNotFloat)
	h.send(resptest.Command("DEBUG", "SLEEP", "1e300"))
	require.Equal(t, resp.Retry, h.status)
	h.clock.Advance(1e9)
	require.Equal(t, resp.Retry, h.session.Resume())
}

func TestDebugSleepInsideATransaction(t *testing.T) {
	h := newHarness(t)
	h.do("MULTI")
	h.do("DEBUG SLEEP 0.001")
	h.do("INCR n")
	h.want("EXEC", []any{ok, 1})
}
