package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

const throughputNotes = `CPU is the server's processor time, user and system, for one command, or for one transaction of six commands (the sliding
log). It is the steadiest of these numbers. × INCR is CPU divided by the CPU of Redis's INCR with the same pipeline and
connections. × Redis is CPU divided by the CPU of the same command on Redis. Latencies are milliseconds of clients that always
have a pipeline in flight. redis-benchmark sends all commands except the transactions, and its latency ends with the first reply of
a pipeline. For transactions, this bench measures until the last reply. Every number is the median of its measurements, and the
servers take turns. ± is the difference between the largest and the least CPU, divided by the median. Others is the largest part of
one core that other processes used during a measurement. If it is above 10 %, the bench measures again, at most twice, and keeps the
least disturbed measurement.`

// throughputSection makes a table and plots of the rows.
func throughputSection(rows []contest.Row) report.Section {
	inOrder(rows)
	t := report.Table{Numbers: 12, Head: []string{"command", "server", "P", "clients", "per second", "CPU µs", "±",
		"× INCR", "× Redis", "p50", "p99", "p99.9", "max", "others"}}
	for _, r := range rows {
		t.Add(r.Workload, r.Server, strconv.Itoa(r.Pipeline), strconv.Itoa(r.Connections), report.Thousands(r.Rate),
			fmt.Sprintf("%.2f", r.CPU), report.Percent(r.Spread),
			report.Times(r.CPU, valueOf(rows, contest.Yardstick, server.Redis, r.Point, contest.ByCPU)), report.Times(r.CPU, valueOf(rows, r.Workload, server.Redis, r.Point, contest.ByCPU)),
			report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999), report.Milliseconds(r.Max), report.Percent(r.Others))
	}
	return report.Section{
		ID: "throughput", Heading: "Throughput, latency and processor time", Notes: throughputNotes, Table: t,
		Plots: []report.Plot{
			pipelines(rows, report.Caption{Name: "performance-cpu.svg", Text: "Server CPU per command, µs (50 connections)"}, contest.ByCPU),
			pipelines(rows, report.Caption{Name: "performance-rate.svg", Text: "Commands per second on one core (50 connections)"}, contest.ByRate),
		},
	}
}

// pipelines plots a measure of the servers' main commands over the depth of the pipeline.
func pipelines(rows []contest.Row, c report.Caption, measure func(load.Sample) float64) report.Plot {
	p := report.Bars{Caption: c}
	depths := []int{1, 16, 64}
	for _, depth := range depths {
		p.Groups = append(p.Groups, fmt.Sprintf("pipeline of %d", depth))
	}
	for _, s := range []struct{ workload, server string }{
		{contest.Yardstick, server.Redis}, {contest.Yardstick, server.Cellserver}, {"CL.THROTTLE", server.RedisCell}, {"CL.THROTTLE", server.Cellserver},
	} {
		series := report.BarSeries{Name: s.server + " " + s.workload}
		for _, depth := range depths {
			series.Values = append(series.Values, valueOf(rows, s.workload, s.server, load.Point{Pipeline: depth, Connections: 50}, measure))
		}
		if !series.IsEmpty() {
			p.Series = append(p.Series, series)
		}
	}
	return p
}

// byCommand plots a measure of each server, grouped by command.
func byCommand(rows []contest.Row, c report.Caption, measure func(load.Sample) float64) report.Plot {
	p := report.Bars{Caption: c}
	for _, r := range rows {
		if !slices.Contains(p.Groups, r.Workload) {
			p.Groups = append(p.Groups, r.Workload)
		}
	}
	for _, server := range []string{server.Redis, server.RedisCell, server.Cellserver} {
		series := report.BarSeries{Name: server}
		for _, workload := range p.Groups {
			series.Values = append(series.Values, valueOf(rows, workload, server, rows[0].Point, measure))
		}
		if !series.IsEmpty() {
			p.Series = append(p.Series, series)
		}
	}
	return p
}

func find(rows []contest.Row, workload, server string, p load.Point) *contest.Row {
	i := slices.IndexFunc(rows, func(r contest.Row) bool { return r.Workload == workload && r.Server == server && r.Point == p })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// valueOf returns a row's measure, or NaN if there is no such row.
func valueOf(rows []contest.Row, workload, server string, p load.Point, measure func(load.Sample) float64) float64 {
	if r := find(rows, workload, server, p); r != nil {
		return measure(r.Sample)
	}
	return math.NaN()
}
