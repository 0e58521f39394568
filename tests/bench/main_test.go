package main

import (
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/processtest"
	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test program be the bench, also as the bare handler.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestOptions(t *testing.T) {
	for _, m := range modes {
		o, err := parseOptions([]string{m.name, "--keys", "10"}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, 10, o.Keys)
		require.Equal(t, m.seconds, o.Seconds)
	}
	for _, args := range []string{
		"", "fast", "quick more", "quick --repeats 0", "--help", "memory --help", "targets --only INCR --write",
	} {
		_, err := parseOptions(strings.Fields(args), io.Discard)
		require.Error(t, err, args)
	}
}

func TestQuickIsAPartOfFull(t *testing.T) {
	full, quick := contest.Options{Mode: "full"}, contest.Options{Mode: "quick"}
	require.Len(t, contest.Selected(full), 10)
	require.Len(t, contest.Selected(quick), 4)
	quick.Only = "GET"
	require.Len(t, contest.Selected(quick, contest.Yardstick), 2)
	require.Subset(t, points("full"), points("quick"))
}

func rowOfCPU(cpu ...float64) (r contest.Row) {
	for _, v := range cpu {
		r.Samples = append(r.Samples, contest.Sample{CPU: v})
	}
	return r
}

func TestATargetIsJudgedByTheMedianRatio(t *testing.T) {
	one := target{"x", "y", 16, 0.95}
	cells, met := one.judge(rowOfCPU(9, 19, 60), rowOfCPU(10, 20, 30))
	require.True(t, met)
	require.Equal(t, "CPU of x over y, P=16|≤ 0.95 ×|0.95 ×|0.90 × … 2.00 ×|0 %|met", strings.Join(cells, "|"))
	disturbed := rowOfCPU(1)
	disturbed.Samples[0].Others = 0.5
	cells, met = one.judge(rowOfCPU(1), disturbed)
	require.False(t, met)
	require.Equal(t, "**not met**, disturbed", cells[5])
	_, met = one.judge(rowOfCPU(math.NaN()), rowOfCPU(1))
	require.False(t, met)
}

func TestTargetsNameWorkloadsThatThereAre(t *testing.T) {
	for _, one := range targets {
		sides := one.sides(t, contest.Options{Cellserver: "x"})
		require.Equal(t, contest.Cellserver, sides[0].Server)
		if strings.HasPrefix(one.over, onRedis) {
			require.Equal(t, contest.Redis, sides[1].Server)
		}
	}
}

func TestABareHandlerIsMeasured(t *testing.T) {
	o := contest.Options{Repeats: 1, Seconds: 0.05, Core: "0-63", Busy: true}
	at := contest.Point{Pipeline: 1, Connections: 50}
	side := contest.WorkloadNamed(t, contest.BareHandler).On(contest.Bare(), at, o)
	rows := contest.Run(t, o, []contest.Side{side})
	require.Positive(t, rows[0].Median(contest.ByRate))
}

func TestSectionReplacesItsPredecessorAlone(t *testing.T) {
	report := replaceSection("# Title\n", "a", "first\n")
	report = replaceSection(report, "b", "second\n") + "\nBy hand.\n"
	again := replaceSection(report, "a", "third\n")
	require.Equal(t, strings.Replace(report, "first", "third", 1), again)
	require.Equal(t, again, replaceSection(again, "b", "second"))
}

// An interrupt ends a simulation at once. It went on for minutes.
func TestAnInterruptEndsASimulation(t *testing.T) {
	cmd := exec.Command(os.Args[0], "adaptive")
	cmd.Env = append(os.Environ(), "LOAD_CORE=0-63")
	bench := processtest.Start(t, cmd)
	require.Eventually(t, func() bool { return strings.Contains(bench.Printed(), "no limit") }, processtest.Patience, time.Millisecond)
	begun := time.Now()
	bench.Stop(syscall.SIGINT)
	require.Contains(t, bench.Printed(), "interrupted")
	require.Less(t, time.Since(begun), time.Minute)
}

// A relay delivers bytes in their order, and no earlier than after the trip.
func TestListenFar(t *testing.T) {
	server := contest.Kinds(contest.Options{})[0].Start(t, "0-63")
	far := listenFar(t, server.Addr)
	ping := contest.Repeats(contest.Command(nil, "PING"), "+PONG\r\n")(0)
	out := contest.Drive(t, contest.Load{
		Addrs: []string{far}, Scripts: []contest.Script{ping}, Pipeline: 16, Count: 160,
	})
	require.GreaterOrEqual(t, out.Elapsed, 10*time.Millisecond)
}
