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
	for _, name := range []string{alone, withoutLog, synced, ofOne, ofThree, replicated} {
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
	met := map[string]bool{}
	for _, v := range costVerdicts(rows) {
		met[v.name] = v.met()
	}
	require.Len(t, met, 16)
	require.True(t, met["CPU of the leader over one node, admitted, P=1"])
	require.False(t, met["CPU of the leader over one node, refused, P=1"])
	require.False(t, met["CPU of three nodes over one, admitted, P=16"])
	require.True(t, met["CPU of three nodes over one, admitted, P=64"])
	require.True(t, met["CPU of a cluster of one over one node, admitted, P=1"])
	require.Equal(t, "1.30", costSection(rows).Table.Rows[24][5])
}

func TestGapVerdicts(t *testing.T) {
	all := gapVerdicts(gaps{all: []float64{0.9, 0.9, 1.4}}, gaps{all: []float64{0.01, 0.1}}, gaps{all: []float64{1.4}})
	for i, want := range []bool{true, true, true, false} {
		require.Equal(t, want, all[i].met(), all[i].name)
	}
	require.Len(t, gapSection([]gaps{{all: []float64{1}}}).Table.Rows, 1)
}
