package main

import (
	"context"
	"fmt"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// cores measures servers and clients that share all cores.
func cores(ctx context.Context, o contest.Options) ([]report.Section, error) {
	o, undo, err := contest.OnAllCores(ctx, o)
	if err != nil {
		return nil, err
	}
	defer undo()
	var sides []contest.Side
	for _, w := range contest.Selected(contest.Options{Mode: "quick", Only: o.Only}) {
		sides = append(sides, contest.SidesOf(o, w, load.Point{Pipeline: 1, Connections: 50})...)
	}
	rows, err := contest.Run(ctx, o, sides)
	if err != nil {
		return nil, err
	}
	return []report.Section{coresSection(rows, o.Core)}, nil
}

// coresSection makes a table and a plot of the rows.
func coresSection(rows []contest.Row, cores string) report.Section {
	t := report.Table{Numbers: 9, Head: []string{"command", "server", "per second", "× INCR", "× Redis", "CPU µs", "p50", "p99", "p99.9", "max", "others"}}
	for _, r := range rows {
		t.Add(r.Workload, r.Server, report.Thousands(r.Rate), report.Times(r.Rate, valueOf(rows, contest.Yardstick, server.Redis, r.Point, contest.ByRate)),
			report.Times(r.Rate, valueOf(rows, r.Workload, server.Redis, r.Point, contest.ByRate)), fmt.Sprintf("%.2f", r.CPU),
			report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999), report.Milliseconds(r.Max), report.Percent(r.Others))
	}
	p := byCommand(rows, report.Caption{Name: "performance-cores.svg", Text: "Commands per second with all cores (50 connections, no pipelines)"}, contest.ByRate)
	return report.Section{ID: "cores", Heading: "Throughput with all cores", Table: t, Plots: []report.Plot{p},
		Notes: "Servers and redis-benchmark, with one thread, may run on cores " + cores + `, without pipelines. × INCR is the rate divided by the
rate of Redis's INCR. × Redis is the rate divided by the rate of the same command on Redis. The other columns are those of the
table of throughput.`}
}
