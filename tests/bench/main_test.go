package main

import (
	"io"
	"testing"

	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"memory", "--keys", "10", "--write"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "memory", o.Mode)
	require.Equal(t, 10, o.Keys)
	require.True(t, o.Write)
	o.RedisCell = "/somewhere/libredis_cell.so"
	require.Equal(t, "REDIS_CELL=libredis_cell.so tests/bench/run memory --keys 10", commandLine([]string{"memory", "--keys", "10"}, o))
	for _, m := range modes {
		o, err := parseOptions([]string{m.name}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, m.seconds, o.Seconds)
	}
	for _, args := range [][]string{{}, {"fast"}, {"quick", "more"}, {"quick", "--repeats", "0"}, {"quick", "--nonsense"}, {"--help"}, {"memory", "--help"},
		{"targets", "--only", "INCR", "--write"}} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, "%q", args)
	}
}

func TestQuickIsAPartOfFull(t *testing.T) {
	require.Len(t, contest.Selected(contest.Options{Mode: "full"}), len(contest.Workloads()))
	quick := contest.Selected(contest.Options{Mode: "quick"})
	require.Len(t, quick, 4)
	require.Len(t, contest.Selected(contest.Options{Mode: "quick", Only: "GET"}), 2, "and the yardstick")
	require.Subset(t, points("full"), points("quick"))
}
