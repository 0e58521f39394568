package main

import (
	"context"
	"slices"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
)

// points returns the pipelines and connections of a mode.
func points(mode string) (all []load.Point) {
	connections := []int{1, 50, 500}
	if mode == "quick" {
		connections = []int{50}
	}
	for _, c := range connections {
		for _, pipeline := range []int{1, 16, 64} {
			all = append(all, load.Point{Pipeline: pipeline, Connections: c})
		}
	}
	return all
}

// throughput measures every workload on every server that knows the workload. The sides of a point take turns.
func throughput(ctx context.Context, o contest.Options) ([]report.Section, error) {
	var rows []contest.Row
	for _, p := range points(o.Mode) {
		measured, err := contest.Run(ctx, o, sidesAt(o, p))
		if err != nil {
			return nil, err
		}
		rows = append(rows, measured...)
	}
	return []report.Section{throughputSection(rows)}, nil
}

// sidesAt returns the selected workloads, each on every server that knows it.
func sidesAt(o contest.Options, p load.Point) (all []contest.Side) {
	for _, w := range contest.Selected(o) {
		all = append(all, contest.SidesOf(o, w, p)...)
	}
	return all
}

// inOrder sorts rows by the workload's place in the report. The sort is stable.
func inOrder(rows []contest.Row) {
	place := map[string]int{}
	for i, w := range slices.Concat(contest.Workloads(), contest.Limiters()) {
		place[w.Name] = i
	}
	slices.SortStableFunc(rows, func(a, b contest.Row) int { return place[a.Workload] - place[b.Workload] })
}
