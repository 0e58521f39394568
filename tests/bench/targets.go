package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// target is a bound on the processor time of a workload over that of another one.
type target struct {
	of, over string // names of workloads; see onRedis and logged
	pipeline int
	bound    float64
}

const (
	onRedis = "Redis's " // begins the name of a workload on Redis
	logged  = ", logged" // ends the name of a workload on a server with a log
)

// targets guard the lead: first over Redis, then that of the other limiters.
var targets = func() (all []target) {
	for i, pipeline := range []int{1, 16, 64} {
		bound := []float64{0.95, 0.75, 0.60}[i]
		all = append(all, target{"CL.THROTTLE", onRedis + contest.Yardstick, pipeline, bound},
			target{"CL.THROTTLE" + logged, "CL.THROTTLE", pipeline, []float64{1.05, 1.08, 1.08}[i]})
	}
	for _, pipeline := range []int{1, 16} {
		commands := []string{"INCR", "SET", "GET", "ZADD, a large set"}
		for _, of := range append(commands, contest.Transaction, contest.MixedTransaction) {
			all = append(all, target{of, onRedis + of, pipeline, 1})
		}
		all = append(all, target{"CL.WINDOW", "CL.THROTTLE", pipeline, 1.15},
			target{"CL.SLIDING", "CL.THROTTLE", pipeline, 1.15},
			target{"CL.CHECK", "CL.THROTTLE", pipeline, 1.60},
			target{contest.Checking, contest.Bare, pipeline, 1.25},
			target{"CL.LOG", contest.Transaction, pipeline, 0.35})
	}
	return append(all, target{contest.Adaptive, contest.Fixed, 16, 1.15},
		target{contest.Evicting, contest.Yardstick, 16, 1.15},
		target{contest.Evicting, contest.Yardstick, 64, 1.30})
}()

func (t target) name() string {
	return fmt.Sprintf("CPU of %s over %s, P=%d", t.of, t.over, t.pipeline)
}

// sides returns the two sides of the ratio.
func (t target) sides(o contest.Options) []contest.Side {
	at := load.Point{Pipeline: t.pipeline, Connections: 50}
	first, kind, over := contest.Ours(o), contest.Ours(o), t.over
	of, ok := strings.CutSuffix(t.of, logged)
	if ok {
		first.Argv = append(slices.Clone(first.Argv), "--appendonly", "yes")
	}
	if workload, ok := strings.CutPrefix(over, onRedis); ok {
		kind, over = contest.Kinds(o)[0], workload
	}
	if over == contest.Bare {
		first.HTTP, kind = true, contest.BareHandler()
	}
	return []contest.Side{
		{Kind: first, Workload: contest.WorkloadNamed(of), Point: at},
		{Kind: kind, Workload: contest.WorkloadNamed(over), Point: at},
	}
}

// judge returns the row of a target whose two sides were measured, and whether it is met.
func (t target) judge(rows []contest.Row) (cells []string, met bool) {
	rounds, others := contest.Ratios(rows[0], rows[1], contest.ByCPU), max(rows[0].Others, rows[1].Others)
	measured := report.Median(rounds)
	met = measured <= t.bound // NaN is not
	result := map[bool]string{true: "met", false: "**not met**"}[met]
	if others > server.Tolerated {
		result += ", disturbed"
	}
	times := func(v float64) string { return fmt.Sprintf("%.2f ×", v) }
	return []string{t.name(), "≤ " + times(t.bound), times(measured),
		times(slices.Min(rounds)) + " … " + times(slices.Max(rounds)), report.Percent(others), result}, met
}

// measureTargets measures all targets and writes which of them are met. A target that cannot be measured is
// an error.
func measureTargets(ctx context.Context, o contest.Options) ([]report.Section, error) {
	table, met := report.Table{Head: []string{"target", "bound", "measured", "rounds", "others", ""}}, 0
	for _, t := range targets {
		if !strings.Contains(t.name(), o.Only) {
			continue
		}
		rows, err := contest.Run(ctx, o, t.sides(o))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name(), err)
		}
		cells, ok := t.judge(rows)
		if ok {
			met++
		}
		report.Say("%s", strings.Join(cells, " | "))
		table.Add(cells...)
	}
	return []report.Section{{ID: "targets", Heading: "Targets", Table: table,
		Notes: fmt.Sprintf(`
%d of %d targets are met. CPU is the server's processor time for a command, user and system, with 50
connections. A bare net/http handler reads the body and writes the headers and the bytes of POST /check;
neither side logs. The two sides of a ratio take turns. A ratio is the median of the rounds; rounds gives the
least and the largest one. Others is the largest part of one core that other processes used during a
measurement. If it is above 10 %%, the bench measures again, at most twice. A disturbed target stayed
above 10 %%.`, met, len(table.Rows))}}, nil
}
