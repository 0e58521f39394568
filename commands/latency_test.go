package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLatency(t *testing.T) {
	h := newHarness(t, "--latency-monitor-threshold", "5")
	now := int(start / 1e9)
	h.want("LATENCY LATEST", []any{})
	h.want("LATENCY HISTORY command", []any{})
	h.slow(4)
	h.slow(7)
	h.slow(6)
	h.advance(2 * time.Second)
	h.slow(9)
	h.want("LATENCY LATEST", []any{[]any{"command", now + 2, 9, 9}})
	h.want("LATENCY HISTORY command", []any{[]any{now, 7}, []any{now + 2, 9}})
	h.want("LATENCY RESET other", 0)
	h.want("LATENCY RESET command other", 1)
	h.want("LATENCY LATEST", []any{})
	h.slow(9)
	h.want("LATENCY RESET", 1)
	h.want("LATENCY GRAPH command", Error("ERR No samples available for event 'command'"))
	h.want("LATENCY NOPE", Error("ERR unknown subcommand 'NOPE'. Try LATENCY HELP."))
}

func TestLatencyGraph(t *testing.T) {
	h := newHarness(t, "--latency-monitor-threshold", "1")
	for _, ms := range []int{10, 60, 120} {
		h.slow(ms)
		h.advance(61 * time.Second)
	}
	require.Equal(t, "command - high 120 ms, low 10 ms (all time high 120 ms)\n"+
		"--------------------------------------------------------------------------------\n"+
		"  #\n  |\n #|\n_||\n   \n321\nmmm\n", h.do("LATENCY GRAPH command"))
}

func TestLatencyDoctor(t *testing.T) {
	h := newHarness(t)
	require.Contains(t, h.do("LATENCY DOCTOR"), "disabled")
	h.want("CONFIG SET latency-monitor-threshold 5", ok)
	require.Contains(t, h.do("LATENCY DOCTOR"), "No latency spike")
	h.slow(7)
	h.slow(20)
	require.Contains(t, h.do("LATENCY DOCTOR"), "1. command: 1 latency spikes (average 20ms, mean deviation 0ms, period 1.00 sec). Worst all time event 20ms.")
	require.Contains(t, h.do("LATENCY DOCTOR"), "slowlog-log-slower-than 5000")
}

func TestLatencyHistogram(t *testing.T) {
	h := newHarness(t)
	h.do("PING")
	h.slow(1)
	h.slow(1)
	h.slow(30)
	h.want("LATENCY HISTOGRAM nothing get", []any{})
	h.do("HELLO 3")
	require.Equal(t, mapOf(
		"debug", mapOf("calls", 3, "histogram_usec", mapOf(1048, 2, 33554, 3)),
		"ping", mapOf("calls", 1, "histogram_usec", mapOf(1, 1)),
	), h.do("LATENCY HISTOGRAM debug ping"))
}

func TestLatencyKeepsSoManySpikes(t *testing.T) {
	var w slowWatch
	for second := range int64(spikesKept + 10) {
		w.spike("e", second, second)
	}
	spikes := w.event("e").spikes
	require.Len(t, spikes, spikesKept)
	require.Equal(t, spike{10, 10}, spikes[0])
}
