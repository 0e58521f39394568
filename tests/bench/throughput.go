package main

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"cellserver/tests/bench/contest"
)

// points returns the pipelines and connections of a mode.
func points(mode string) (all []contest.Point) {
	connections := []int{50}
	if mode == "full" {
		connections = []int{1, 50, 500}
	}
	for _, c := range connections {
		for _, pipeline := range []int{1, 16, 64} {
			all = append(all, contest.Point{Pipeline: pipeline, Connections: c})
		}
	}
	return all
}

// throughput measures the workloads of a mode: on every server that knows them, or the limiters on
// cellserver alone. The sides of a point take turns.
func throughput(t testing.TB, o contest.Options) []section {
	kinds, base := contest.Kinds(o), []string{contest.Yardstick}
	if o.Mode == "limiters" {
		kinds, base = kinds[len(kinds)-1:], []string{contest.Throttle, contest.Transaction}
	}
	workloads := contest.Selected(o, base...)
	var rows []contest.Row
	for _, p := range points(o.Mode) {
		var sides []contest.Side
		for _, w := range workloads {
			for _, k := range kinds {
				if w.KnownTo(k) {
					sides = append(sides, w.On(k, p, o))
				}
			}
		}
		rows = append(rows, contest.Run(t, o, sides)...)
	}
	place := func(r contest.Row) int {
		return slices.IndexFunc(workloads, func(w contest.Workload) bool { return w.Name == r.Name })
	}
	slices.SortStableFunc(rows, func(a, b contest.Row) int { return place(a) - place(b) })
	if o.Mode == "limiters" {
		return []section{limitersSection(rows)}
	}
	return []section{throughputSection(rows)}
}

const throughputNotes = `
CPU is the server's processor time, user and system, for one command, or for one transaction of six
commands (the sliding log). It is the steadiest of these numbers. × INCR is CPU divided by the CPU of
Redis's INCR with the same pipeline and connections. × Redis is CPU divided by the CPU of the same
command on Redis. Both are the median of the ratios, round by round. Latencies are milliseconds of
clients that always have a pipeline in flight, until the last reply of a pipeline. Every reply is
checked. Every number is the median of its measurements, and the servers take turns. ± is the difference
between the largest and the least CPU, divided by the median. Others is the largest part of one core that
other processes used during a measurement. If it is above 10 %, the bench measures again, at most twice,
and keeps the least disturbed measurement.`

// throughputSection makes a table and plots of the rows.
func throughputSection(rows []contest.Row) section {
	return section{
		id: "throughput", heading: "Throughput, latency and processor time", notes: throughputNotes,
		table: sidesTable(rows, "× INCR", "× Redis", func(r contest.Row) (first, second string) {
			return timesOn(rows, r, contest.Yardstick, contest.Redis), timesOn(rows, r, r.Name, contest.Redis)
		}),
		plots: []bars{
			pipelines(rows, "performance-cpu.svg", "Server CPU per command, µs", contest.ByCPU),
			pipelines(rows, "performance-rate.svg", "Commands per second on one core", contest.ByRate),
		},
	}
}

const limitersNotes = `
The server allows all calls, and all calls write. The keys are 100,000 random ones. CL.LOG and the
transaction that it replaces have 50 keys. Their logs always hold 100 entries: each call removes one entry
and adds one entry. CL.CHECK asks a rule of two limits. × is the processor time divided by the time of
CL.THROTTLE, or of the transaction of six commands. It is the median of the ratios, round by round. The
other columns are those of the table of throughput.`

// limitersSection makes a table of the rows.
func limitersSection(rows []contest.Row) section {
	return section{
		id: "limiters", heading: "Other limiters", notes: limitersNotes,
		table: sidesTable(rows, "× CL.THROTTLE", "× transaction", func(r contest.Row) (first, second string) {
			return timesOn(rows, r, contest.Throttle, r.Server), timesOn(rows, r, contest.Transaction, r.Server)
		}),
	}
}

// sidesTable makes a table of rows and of their ratios to two others.
func sidesTable(rows []contest.Row, first, second string, over func(contest.Row) (string, string)) table {
	t := table{numbers: 12, head: []string{
		"command", "server", "P", "clients", "per second", "CPU µs", "±", first, second,
		"p50", "p99", "p99.9", "max", "others",
	}}
	for _, r := range rows {
		x, y := over(r)
		ms := func(by func(contest.Sample) float64) string { return fmt.Sprintf("%.2f", r.Median(by)) }
		t.add(r.Name, r.Server, strconv.Itoa(r.Pipeline), strconv.Itoa(r.Connections),
			thousands(r.Median(contest.ByRate)), fmt.Sprintf("%.2f", r.Median(contest.ByCPU)),
			percent(r.Spread(contest.ByCPU)), x, y,
			ms(func(s contest.Sample) float64 { return s.P50 }), ms(func(s contest.Sample) float64 { return s.P99 }),
			ms(func(s contest.Sample) float64 { return s.P999 }), ms(func(s contest.Sample) float64 { return s.Max }),
			percent(r.Others()))
	}
	return t
}

// timesOn returns a row's processor time over that of a workload on a server, or a dash if nobody has
// measured that.
func timesOn(rows []contest.Row, r contest.Row, workload, server string) string {
	base := contest.RowOf(rows, workload, server, r.Point)
	if base == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", contest.Median(r.Ratios(*base, contest.ByCPU)))
}

// pipelines plots a measure of the main commands over the depth of the pipeline, with 50 connections.
func pipelines(rows []contest.Row, name, title string, by func(contest.Sample) float64) bars {
	p := bars{name: name, title: title + " (50 connections)"}
	for _, at := range points("quick") {
		for _, r := range rows {
			if (r.Name == contest.Yardstick || r.Name == contest.Throttle) && r.Point == at {
				p.put(fmt.Sprintf("%s %s, pipeline of %d", r.Server, r.Name, r.Pipeline), r.Median(by))
			}
		}
	}
	return p
}
