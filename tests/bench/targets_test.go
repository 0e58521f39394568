package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

func rowOfCPU(cpu ...float64) (r contest.Row) {
	for _, v := range cpu {
		r.Samples = append(r.Samples, load.Sample{CPU: v})
	}
	return r
}

func TestATargetIsJudgedByTheMedianRatio(t *testing.T) {
	one := target{"x", "y", 16, 0.95}
	for _, c := range []struct {
		of, over contest.Row
		met      bool
		cells    []string
	}{
		{rowOfCPU(9, 19, 60), rowOfCPU(10, 20, 30), true, []string{"≤ 0.95 ×", "0.95 ×", "0.90 × … 2.00 ×", "0 %", "met"}},
		{rowOfCPU(96), rowOfCPU(100), false, []string{"≤ 0.95 ×", "0.96 ×", "0.96 × … 0.96 ×", "0 %", "**not met**"}},
	} {
		cells, met := one.judge([]contest.Row{c.of, c.over})
		require.Equal(t, c.met, met)
		require.Equal(t, append([]string{"CPU of x over y, P=16"}, c.cells...), cells)
	}
	disturbed := rowOfCPU(1)
	disturbed.Others = 0.5
	cells, met := one.judge([]contest.Row{rowOfCPU(1), disturbed})
	require.False(t, met)
	require.Equal(t, "**not met**, disturbed", cells[5])
	_, met = one.judge([]contest.Row{rowOfCPU(math.NaN()), rowOfCPU(1)})
	require.False(t, met)
}

func TestTargetsNameWorkloadsThatThereAre(t *testing.T) {
	o := contest.Options{Cellserver: "x"}
	for _, one := range targets {
		sides := one.sides(o)
		for _, side := range sides {
			require.True(t, side.Workload.Command != nil || side.Workload.Script != nil, one.name())
		}
		require.Equal(t, server.Cellserver, sides[0].Kind.Name)
		if strings.HasSuffix(one.of, logged) {
			require.Equal(t, "yes", sides[0].Argv[len(sides[0].Argv)-1])
			require.Equal(t, "no", sides[1].Argv[slices.Index(sides[1].Argv, "--appendonly")+1])
		} else if one.pipeline == 64 && one.of != contest.Evicting {
			require.Equal(t, server.Redis, sides[1].Kind.Name)
			require.Equal(t, contest.Yardstick, sides[1].Workload.Name)
		}
	}
}

// TestMain lets the test program be the bare handler.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == contest.Bare {
		main()
	}
	os.Exit(m.Run())
}

func TestABareHandlerIsMeasured(t *testing.T) {
	i := slices.IndexFunc(targets, func(one target) bool { return one.over == contest.Bare })
	o := contest.Options{Repeats: 1, Seconds: 0.05, Core: "0-63", Busy: true, Cellserver: "x"}
	sides := targets[i].sides(o)
	require.True(t, sides[0].HTTP)
	require.False(t, sides[1].HTTP)
	rows, err := contest.Run(t.Context(), o, sides[1:])
	require.NoError(t, err)
	require.Positive(t, rows[0].Rate)
}

func TestWhatCannotBeMeasuredIsAnError(t *testing.T) {
	o := contest.Options{Repeats: 1, Seconds: 1, Core: "0", Only: "CL.LOG", Cellserver: "/no such program"}
	_, err := measureTargets(t.Context(), o)
	require.ErrorContains(t, err, "CL.LOG")
}
