package main

import (
	"testing"

	"cellserver/tests/bench/load"

	"github.com/stretchr/testify/require"
)

func TestRedisWaitsAtTheEndOfAPipeline(t *testing.T) {
	script := countedTwice(admitted, 3)(0)
	var request, reply []byte
	for i := range 6 {
		request, reply = script(request, reply, i)
	}
	wait := load.Command(nil, "WAIT", "1", "0")
	require.Equal(t, string(wait), string(request[len(request)-len(wait):]))
	require.Equal(t, ":???????\r\n:???????\r\n:???????\r\n:1\r\n:???????\r\n:???????\r\n:???????\r\n:1\r\n", string(reply))
}

func TestCostsAreComparedRoundByRound(t *testing.T) {
	var rows []costRow
	for _, name := range []string{alone, withoutLog, synced, ofThree, replicated} {
		for _, kind := range []string{admitted, refused} {
			for _, pipeline := range []int{1, 16, 64} {
				r := costRow{point: point{deployment{name: name}, kind, pipeline}}
				for round := range 3 { // the machine gets slower
					c := costs{Sample: load.Sample{CPU: float64(round + 1)}, all: float64(round + 1)}
					if name == ofThree {
						c.CPU, c.all = 1.3*c.CPU, 3.5*c.all
					}
					r.rounds = append(r.rounds, c)
				}
				rows = append(rows, r)
			}
		}
	}
	section := clusterSection(rows, []float64{0.7, 0.6, 1.2})
	require.Equal(t, []string{ofThree, admitted, "1", "0", "2.60", "1.30 (≤ 1.40)", "7.00", "3.50 (≤ 2.20)"}, section.Table.Rows[18][:8])
	require.Contains(t, section.Notes, "a client had no reply for 0.70 s")
	require.Contains(t, section.Notes, "least was 0.60 s, the largest 1.20 s.")
}

func TestSomePointsOfACluster(t *testing.T) {
	var rows []costRow
	for _, name := range []string{alone, withoutLog, ofOne} {
		for _, pipeline := range []int{1, 16} {
			rows = append(rows, costRow{point: point{deployment{name: name}, admitted, pipeline}})
		}
	}
	require.Equal(t, rows, selected(rows, ""))
	some := selected(rows, "cluster of 1, P=16, admitted")
	require.Len(t, some, 2)
	require.Equal(t, alone+", P=16, admitted", some[0].title(), "it is compared with this one")
	require.Equal(t, ofOne+", P=16, admitted", some[1].title())
	require.Contains(t, bounds, rows[4].title(), "it has a bound")
}
