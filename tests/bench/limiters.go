package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
)

// besides measures the other limiters, CL.THROTTLE, and the transaction that CL.LOG replaces.
func besides(ctx context.Context, o contest.Options) ([]report.Section, error) {
	var rows []contest.Row
	for _, depth := range []int{1, 16, 64} {
		var sides []contest.Side
		for _, w := range append([]contest.Workload{contest.WorkloadNamed("CL.THROTTLE"), contest.WorkloadNamed(contest.Transaction)}, contest.Limiters()...) {
			sides = append(sides, contest.Side{Kind: contest.Ours(o), Workload: w, Point: load.Point{Pipeline: depth, Connections: 50}})
		}
		measured, err := contest.Run(ctx, o, sides)
		if err != nil {
			return nil, err
		}
		rows = append(rows, measured...)
	}
	return []report.Section{limitersSection(rows)}, nil
}

// limitersSection makes a table and a plot of the rows.
func limitersSection(rows []contest.Row) report.Section {
	inOrder(rows)
	t := report.Table{Numbers: 11, Head: []string{"command", "P", "per second", "CPU µs", "±", "× CL.THROTTLE", "× transaction", "p50", "p99", "p99.9", "max", "others"}}
	p := report.Bars{Name: "performance-limiters.svg", Title: "Server CPU per command, µs (50 connections)"}
	for _, r := range rows {
		over := func(workload string) string {
			i := slices.IndexFunc(rows, func(other contest.Row) bool { return other.Workload == workload && other.Point == r.Point })
			return fmt.Sprintf("%.2f", report.Median(contest.Ratios(r, rows[i], contest.ByCPU)))
		}
		t.Add(r.Workload, strconv.Itoa(r.Pipeline), report.Thousands(r.Rate), fmt.Sprintf("%.2f", r.CPU), report.Percent(r.Spread), over("CL.THROTTLE"), over(contest.Transaction),
			report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999), report.Milliseconds(r.Max), report.Percent(r.Others))
		p.Put(r.Workload, fmt.Sprintf("pipeline of %d", r.Pipeline), r.CPU)
	}
	return report.Section{ID: "limiters", Heading: "Other limiters", Table: t, Plots: []report.Bars{p},
		Notes: `The server allows all calls, and all calls write. The keys are 100,000 random ones. CL.LOG and the transaction that it replaces
have 50 keys. Their logs always hold 100 entries: each call removes one entry and adds one entry. CL.CHECK asks a rule of two
limits. × is the processor time divided by the time of CL.THROTTLE, or of the transaction of six commands. It is the median of the
ratios, round by round. The other columns are those of the table of throughput.`}
}
