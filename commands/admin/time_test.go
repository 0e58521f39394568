package admin

import (
	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("TIME", []string{"1700000000", "123456"})
	h.At(5_000_000_999)
	h.Want("TIME", []string{"5", "0"})
	h.Want("TIME now", commands.WrongArity("time").(commands.Error))
}

// TestTimesOfTheWallClock: the wall clock was set back by a thousand seconds. What operators read has its times.
func TestTimesOfTheWallClock(t *testing.T) {
	h := servertest.New(t, "--latency-monitor-threshold", "5")
	h.Clock.Gap = 1000e9
	m := h.NewClient(t)
	m.Want("MONITOR", ok)
	slow(h, 10)
	h.Want("TIME", []string{"1699999000", "133456"})
	require.Contains(t, m.TakePushes(), resptest.Simple(`1699999000.133456 [0 127.0.0.1:50001] "TIME"`))
	require.EqualValues(t, 1699999000, h.Do("SLOWLOG GET").([]any)[0].([]any)[1])
	h.Want("LATENCY LATEST", []any{[]any{"command", 1699999000, 10, 10}})
	h.Want("LATENCY HISTORY command", []any{[]any{1699999000, 10}})
	require.Contains(t, h.Do("INFO server"), "\r\nserver_time_usec:1699999000133456\r\n")
}
