package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLatency(t *testing.T) {
	h := servertest.New(t, "--latency-monitor-threshold", "5")
	now := int(servertest.Start / 1e9)
	h.Want("LATENCY LATEST", []any{})
	h.Want("LATENCY HISTORY command", []any{})
	slow(h, 4)
	slow(h, 7)
	slow(h, 6)
	h.Advance(2 * time.Second)
	slow(h, 9)
	h.Want("LATENCY LATEST", []any{[]any{"command", now + 2, 9, 9}})
	h.Want("LATENCY HISTORY command", []any{[]any{now, 7}, []any{now + 2, 9}})
	h.Want("LATENCY RESET other", 0)
	h.Want("LATENCY RESET command other", 1)
	h.Want("LATENCY LATEST", []any{})
	slow(h, 9)
	h.Want("LATENCY RESET", 1)
	h.Want("LATENCY GRAPH command", commands.Error("ERR No samples available for event 'command'"))
	h.Want("LATENCY NOPE", commands.Error("ERR unknown subcommand 'NOPE'. Try LATENCY HELP."))
}

func TestLatencyGraph(t *testing.T) {
	h := servertest.New(t, "--latency-monitor-threshold", "1")
	for _, ms := range []int{10, 60, 120} {
		slow(h, ms)
		h.Advance(61 * time.Second)
	}
	require.Equal(t, "command - high 120 ms, low 10 ms (all time high 120 ms)\n"+
		"--------------------------------------------------------------------------------\n"+
		"  #\n  |\n #|\n_||\n   \n321\nmmm\n", h.Do("LATENCY GRAPH command"))
}

func TestLatencyDoctor(t *testing.T) {
	h := servertest.New(t)
	require.Contains(t, h.Do("LATENCY DOCTOR"), "disabled")
	h.Want("CONFIG SET latency-monitor-threshold 5", ok)
	require.Contains(t, h.Do("LATENCY DOCTOR"), "No latency spike")
	slow(h, 7)
	slow(h, 20)
	require.Contains(t, h.Do("LATENCY DOCTOR"), "1. command: 1 latency spikes (average 20ms, mean deviation 0ms, period 1.00 sec). Worst all time event 20ms.")
	require.Contains(t, h.Do("LATENCY DOCTOR"), "slowlog-log-slower-than 5000")
}

func TestLatencyHistogram(t *testing.T) {
	h := servertest.New(t)
	h.Do("PING")
	slow(h, 1)
	slow(h, 1)
	slow(h, 30)
	h.Want("LATENCY HISTOGRAM nothing get", []any{})
	h.Do("HELLO 3")
	require.Equal(t, servertest.MapOf(
		"debug", servertest.MapOf("calls", 3, "histogram_usec", servertest.MapOf(1048, 2, 33554, 3)),
		"ping", servertest.MapOf("calls", 1, "histogram_usec", servertest.MapOf(1, 1)),
	), h.Do("LATENCY HISTOGRAM debug ping"))
}
