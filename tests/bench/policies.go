package main

import (
	"context"
	"fmt"
	"slices"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// policies are the settings of the append-only file, first without the file. A log is rewritten only on command.
var policies = []struct {
	name  string
	keeps []string
}{
	{"off", server.NoPersistence},
	{"no", logged("no")},
	{"everysec", logged("everysec")},
	{"always", logged("always")},
}

func logged(fsync string) []string {
	return []string{"--appendonly", "yes", "--appendfsync", fsync, "--auto-aof-rewrite-percentage", "0"}
}

// policyRows measures a server with each of the named policies in turn.
func policyRows(ctx context.Context, o contest.Options, k server.Kind, p load.Point, names ...string) ([]contest.Row, error) {
	var sides []contest.Side
	for _, policy := range policies {
		if slices.Contains(names, policy.name) {
			kept := k
			kept.Name, kept.Keeps = k.Name+", "+policy.name, policy.keeps
			sides = append(sides, contest.Side{Kind: kept, Workload: contest.ManyKeysLoad(k, contest.Keyspace), Point: p})
		}
	}
	return contest.Run(ctx, o, sides)
}

// costOfPolicies is the section on the cost to log every change.
func costOfPolicies(ctx context.Context, o contest.Options) (report.Section, error) {
	t := report.Table{Numbers: 9, Head: []string{"server, appendfsync", "command", "P", "per second", "CPU µs", "× off", "p50", "p99", "p99.9", "max", "others"}}
	p := report.Bars{Caption: report.Caption{Name: "performance-persistence.svg", Text: "Server CPU per command, µs, by appendfsync (50 connections)"}}
	for _, policy := range policies {
		p.Series = append(p.Series, report.BarSeries{Name: policy.name})
	}
	for _, k := range contest.Peers(o) {
		for _, depth := range []int{1, 16} {
			rows, err := policyRows(ctx, o, k, load.Point{Pipeline: depth, Connections: 50}, "off", "no", "everysec", "always")
			if err != nil {
				return report.Section{}, err
			}
			p.Groups = append(p.Groups, fmt.Sprintf("%s, pipeline of %d", k.Name, depth))
			for i, r := range rows {
				t.Add(r.Server, r.Workload, fmt.Sprint(depth), report.Thousands(r.Rate), fmt.Sprintf("%.2f", r.CPU),
					fmt.Sprintf("%.2f", report.Median(contest.Ratios(r, rows[0], contest.ByCPU))), report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999),
					report.Milliseconds(r.Max), report.Percent(r.Others))
				p.Series[i].Values = append(p.Series[i].Values, r.CPU)
			}
		}
	}
	return report.Section{ID: "persistence", Heading: "The cost of logging every change", Table: t, Plots: []report.Plot{p},
		Notes: `Every command writes. × off is the server's processor time for a command, user and system, divided by the time with
--appendonly no. It is the median of the ratios, round by round. The other columns are those of the table of throughput. The disk
determines the latency of always.`}, nil
}
