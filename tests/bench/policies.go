package main

import (
	"context"
	"fmt"
	"slices"
)

// policies are what a server may keep on disk, and when it does, nothing first. Logs are not rewritten unless that is
// what is measured.
var policies = []struct {
	name  string
	keeps []string
}{
	{"off", nothing},
	{"no", logged("no")},
	{"everysec", logged("everysec")},
	{"always", logged("always")},
}

func logged(fsync string) []string {
	return []string{"--appendonly", "yes", "--appendfsync", fsync, "--auto-aof-rewrite-percentage", "0"}
}

// policyRows measures a server with each of the named policies in turn.
func policyRows(ctx context.Context, o options, k kind, p point, names ...string) ([]row, error) {
	var sides []side
	for _, policy := range policies {
		if slices.Contains(names, policy.name) {
			kept := k
			kept.name, kept.keeps = k.name+", "+policy.name, policy.keeps
			sides = append(sides, side{kept, manyKeysLoad(k, keyspace), p})
		}
	}
	return contest(ctx, o, sides)
}

// costOfPolicies is the section on what it costs to log every change.
func costOfPolicies(ctx context.Context, o options) (section, error) {
	t := table{numbers: 9, head: []string{"server, appendfsync", "command", "P", "per second", "CPU µs", "× off", "p50", "p99", "p99.9", "max", "others"}}
	p := bars{caption: caption{"performance-persistence.svg", "Server CPU per command, µs, by appendfsync (50 connections)"}}
	for _, policy := range policies {
		p.series = append(p.series, barSeries{name: policy.name})
	}
	for _, k := range peers(o) {
		for _, depth := range []int{1, 16} {
			rows, err := policyRows(ctx, o, k, point{depth, 50}, "off", "no", "everysec", "always")
			if err != nil {
				return section{}, err
			}
			p.groups = append(p.groups, fmt.Sprintf("%s, pipeline of %d", k.name, depth))
			for i, r := range rows {
				t.add(r.server, r.workload, fmt.Sprint(depth), thousands(r.rate), fmt.Sprintf("%.2f", r.cpu),
					fmt.Sprintf("%.2f", median(ratios(r, rows[0], byCPU))), milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999),
					milliseconds(r.max), percent(r.others))
				p.series[i].values = append(p.series[i].values, r.cpu)
			}
		}
	}
	return section{id: "persistence", heading: "The cost of logging every change", table: t, plots: []plot{p},
		notes: `Every command writes. × off is the server's processor time for a command, user and system, over that with --appendonly no: the
median of the ratios, round by round. The rest is as in the table of throughput. What always costs in time is the disk's.`}, nil
}
