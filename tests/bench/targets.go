package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cellserver/tests/bench/contest"
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
		all = append(all, target{contest.Throttle, onRedis + contest.Yardstick, pipeline, bound},
			target{contest.Throttle + logged, contest.Throttle, pipeline, []float64{1.05, 1.08, 1.08}[i]})
	}
	for _, pipeline := range []int{1, 16} {
		commands := []string{"INCR", "SET", "GET", "ZADD, a large set"}
		for _, of := range append(commands, contest.Transaction, contest.MixedTransaction) {
			all = append(all, target{of, onRedis + of, pipeline, 1})
		}
		all = append(all, target{"CL.WINDOW", contest.Throttle, pipeline, 1.15},
			target{"CL.SLIDING", contest.Throttle, pipeline, 1.15},
			target{"CL.CHECK", contest.Throttle, pipeline, 1.60},
			target{contest.Checking, contest.BareHandler, pipeline, 1.25},
			target{"CL.LOG", contest.Transaction, pipeline, 0.35})
	}
	return append(all, target{contest.Adaptive, contest.Fixed, 16, 1.15},
		target{contest.Reserving + logged, contest.Throttle + logged, 16, 3},
		target{contest.Evicting, contest.Yardstick, 16, 1.15},
		target{contest.Evicting, contest.Yardstick, 64, 1.30})
}()

func (g target) name() string {
	return fmt.Sprintf("CPU of %s over %s, P=%d", g.of, g.over, g.pipeline)
}

// sides returns the two sides of the ratio.
func (g target) sides(t testing.TB, o contest.Options) []contest.Side {
	at := contest.Point{Pipeline: g.pipeline, Connections: 50}
	of, kindOf := ours(o, g.of)
	over, kind := ours(o, g.over)
	if name, ok := strings.CutPrefix(over, onRedis); ok {
		kind, over = contest.Kinds(o)[0], name
	}
	if over == contest.BareHandler {
		kind = contest.Bare()
	}
	return []contest.Side{
		contest.WorkloadNamed(t, of).On(kindOf, at, o),
		contest.WorkloadNamed(t, over).On(kind, at, o),
	}
}

// ours returns the name of a workload, and the server of ours that a target measures it on.
func ours(o contest.Options, of string) (workload string, k contest.Kind) {
	log := "no"
	workload, ok := strings.CutSuffix(of, logged)
	if ok {
		log = "yes"
	}
	return workload, contest.Ours(o, "--appendonly", log)
}

// judge returns the row of a target whose two sides were measured, and whether it is met.
func (g target) judge(of, over contest.Row) (cells []string, met bool) {
	rounds, others := of.Ratios(over, contest.ByCPU), max(of.Others(), over.Others())
	measured := contest.Median(rounds)
	met = measured <= g.bound // NaN is not
	result := map[bool]string{true: "met", false: "**not met**"}[met]
	if others > contest.Tolerated {
		result += ", disturbed"
	}
	times := func(v float64) string { return fmt.Sprintf("%.2f ×", v) }
	return []string{
		g.name(), "≤ " + times(g.bound), times(measured),
		times(slices.Min(rounds)) + " … " + times(slices.Max(rounds)), percent(others), result,
	}, met
}

const targetNotes = `
%d of %d targets are met. CPU is the server's processor time for a command, user and system, with 50
connections. A bare net/http handler reads the body and writes the headers and the bytes of POST /check;
neither side logs. The two sides of a ratio take turns. A ratio is the median of the rounds; rounds gives the
least and the largest one. Others is the largest part of one core that other processes used during a
measurement. If it is above 10 %%, the bench measures again, at most twice. A disturbed target stayed
above 10 %%.`

// measureTargets measures all targets and writes which of them are met.
func measureTargets(t testing.TB, o contest.Options) []section {
	found, met := table{head: []string{"target", "bound", "measured", "rounds", "others", ""}}, 0
	for _, g := range targets {
		if !strings.Contains(g.name(), o.Only) {
			continue
		}
		rows := contest.Run(t, o, g.sides(t, o))
		cells, ok := g.judge(rows[0], rows[1])
		if ok {
			met++
		}
		t.Logf("%s", strings.Join(cells, " | "))
		found.add(cells...)
	}
	notes := fmt.Sprintf(targetNotes, met, len(found.rows))
	return []section{{id: "targets", heading: "Targets", table: found, notes: notes}}
}
