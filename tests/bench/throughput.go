package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
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
		var sides []contest.Side
		for _, w := range contest.Selected(o) {
			sides = append(sides, contest.SidesOf(o, w, p)...)
		}
		measured, err := contest.Run(ctx, o, sides)
		if err != nil {
			return nil, err
		}
		rows = append(rows, measured...)
	}
	return []report.Section{throughputSection(rows)}, nil
}

// inOrder sorts rows by the workload's place in the report. The sort is stable.
func inOrder(rows []contest.Row) {
	place := map[string]int{}
	for i, w := range slices.Concat(contest.Workloads(), contest.Limiters()) {
		place[w.Name] = i
	}
	slices.SortStableFunc(rows, func(a, b contest.Row) int { return place[a.Workload] - place[b.Workload] })
}

const throughputNotes = `
CPU is the server's processor time, user and system, for one command, or for one transaction of six
commands (the sliding log). It is the steadiest of these numbers. × INCR is CPU divided by the CPU of
Redis's INCR with the same pipeline and connections. × Redis is CPU divided by the CPU of the same
command on Redis. Latencies are milliseconds of clients that always have a pipeline in flight.
redis-benchmark sends all commands except the transactions, and its latency ends with the first reply of
a pipeline. For transactions, this bench measures until the last reply. Every number is the median of
its measurements, and the servers take turns. ± is the difference between the largest and the least CPU,
divided by the median. Others is the largest part of one core that other processes used during a
measurement. If it is above 10 %, the bench measures again, at most twice, and keeps the least disturbed
measurement.`

// throughputSection makes a table and plots of the rows.
func throughputSection(rows []contest.Row) report.Section {
	inOrder(rows)
	t := report.Table{Numbers: 12, Head: []string{"command", "server", "P", "clients", "per second",
		"CPU µs", "±", "× INCR", "× Redis", "p50", "p99", "p99.9", "max", "others"}}
	for _, r := range rows {
		over := func(name string) string { return report.Times(r.CPU, cpuOnRedis(rows, name, r.Point)) }
		t.Add(r.Workload, r.Server, strconv.Itoa(r.Pipeline), strconv.Itoa(r.Connections),
			report.Thousands(r.Rate), fmt.Sprintf("%.2f", r.CPU), report.Percent(r.Spread),
			over(contest.Yardstick), over(r.Workload),
			report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999),
			report.Milliseconds(r.Max), report.Percent(r.Others))
	}
	return report.Section{
		ID: "throughput", Heading: "Throughput, latency and processor time", Notes: throughputNotes, Table: t,
		Plots: []report.Bars{
			pipelines(rows, "performance-cpu.svg", "Server CPU per command, µs", contest.ByCPU),
			pipelines(rows, "performance-rate.svg", "Commands per second on one core", contest.ByRate),
		},
	}
}

// pipelines plots a measure of the main commands over the depth of the pipeline, with 50 connections.
func pipelines(rows []contest.Row, name, title string, measure func(load.Sample) float64) report.Bars {
	p := report.Bars{Name: name, Title: title}
	for _, s := range []struct{ workload, server string }{
		{contest.Yardstick, server.Redis}, {contest.Yardstick, server.Cellserver},
		{"CL.THROTTLE", server.RedisCell}, {"CL.THROTTLE", server.Cellserver},
	} {
		for _, r := range rows {
			if r.Workload == s.workload && r.Server == s.server && r.Connections == 50 {
				p.Put(s.server+" "+s.workload, fmt.Sprintf("pipeline of %d", r.Pipeline), measure(r.Sample))
			}
		}
	}
	return p
}

// cpuOnRedis returns the processor time of a workload on Redis, or NaN if there is no such row.
func cpuOnRedis(rows []contest.Row, workload string, p load.Point) float64 {
	for _, r := range rows {
		if r.Workload == workload && r.Server == server.Redis && r.Point == p {
			return r.CPU
		}
	}
	return math.NaN()
}
