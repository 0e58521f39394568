package main

import (
	"testing"
	"time"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"

	"github.com/stretchr/testify/require"
)

func TestRecovered(t *testing.T) {
	course := report.LineSeries{X: []float64{-1, 0, 1, 2, 3, 4}, Y: []float64{10, 110, 15, 60, 20, 18}}
	least, back := recovered(course, 10e6, 110e6)
	require.Equal(t, int64(15e6), least)
	require.Equal(t, 3.0, back, "the dip at 1 did not last")
	_, back = recovered(report.LineSeries{X: []float64{0, 1}, Y: []float64{110, 30}}, 10e6, 110e6)
	require.Zero(t, back)
}

func TestCurveOfWindows(t *testing.T) {
	c := curve("x", []load.Timing{{At: -calm, Took: time.Millisecond}, {At: -calm + window/2, Took: 3 * time.Millisecond}, {At: 0, Took: 5 * time.Millisecond}})
	require.Equal(t, report.LineSeries{Name: "x", X: []float64{-2, 0}, Y: []float64{3, 5}}, c)
	require.Len(t, load.Within([]load.Timing{{At: -1}, {At: 0}, {At: 1}, {At: 2}}, 0, 2), 2)
}
