package contest

import (
	"io"
	"testing"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

func TestMedians(t *testing.T) {
	require.Equal(t, 2.0, report.Median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, report.Median([]float64{4, 1, 2, 3}))
	m, spread := middle([]load.Sample{{Rate: 1, CPU: 4, Max: 9, Others: 0.2}, {Rate: 5, CPU: 5, Max: 7}, {Rate: 3, CPU: 3, Max: 8}})
	require.Equal(t, load.Sample{Rate: 3, CPU: 4, Max: 8, Others: 0.2}, m)
	require.Equal(t, 0.5, spread)
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	var turns []int
	takes := make([]func() (load.Sample, error), 2)
	for i := range takes {
		takes[i] = func() (load.Sample, error) {
			turns = append(turns, i)
			// Each round the machine is slower, and the second side takes twice as long as the first.
			return load.Sample{CPU: float64((len(turns) + 1) / 2 * (i + 1))}, nil
		}
	}
	samples, err := Alternate(3, takes)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0, 1, 0, 1}, turns)
	first, second := NewRow(Side{}, samples[0]), NewRow(Side{}, samples[1])
	require.Equal(t, []float64{2, 2, 2}, Ratios(second, first, ByCPU))
	takes[1] = func() (load.Sample, error) { return load.Sample{}, io.ErrUnexpectedEOF }
	_, err = Alternate(3, takes)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestServed(t *testing.T) {
	before := server.Counters{Commands: 100, Errors: 1}
	require.NoError(t, served(before, server.Counters{Commands: 160, Errors: 1}, 50))
	require.ErrorContains(t, served(before, server.Counters{Commands: 160, Errors: 2}, 50), "error")
	require.ErrorContains(t, served(before, server.Counters{Commands: 149, Errors: 1}, 50), "only 49")
}
