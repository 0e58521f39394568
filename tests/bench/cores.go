package main

import (
	"context"
	"fmt"
)

// cores measures what servers do that have all cores, which the clients have, too: each may use what the other leaves.
func cores(ctx context.Context, o options) ([]section, error) {
	o, undo, err := onAllCores(ctx, o)
	if err != nil {
		return nil, err
	}
	defer undo()
	var sides []side
	for _, w := range selected(options{mode: "quick", only: o.only}) {
		sides = append(sides, sidesOf(o, w, point{1, 50})...)
	}
	rows, err := contest(ctx, o, sides)
	if err != nil {
		return nil, err
	}
	return []section{coresSection(rows, o.core)}, nil
}

// coresSection makes the rows a table and a plot.
func coresSection(rows []row, cores string) section {
	t := table{numbers: 9, head: []string{"command", "server", "per second", "× INCR", "× Redis", "CPU µs", "p50", "p99", "p99.9", "max", "others"}}
	for _, r := range rows {
		t.add(r.workload, r.server, thousands(r.rate), times(r.rate, valueOf(rows, yardstick, redis, r.point, byRate)),
			times(r.rate, valueOf(rows, r.workload, redis, r.point, byRate)), fmt.Sprintf("%.2f", r.cpu),
			milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999), milliseconds(r.max), percent(r.others))
	}
	p := byCommand(rows, caption{"performance-cores.svg", "Commands per second with all cores (50 connections, no pipelines)"}, byRate)
	return section{id: "cores", heading: "Throughput with all cores", table: t, plots: []plot{p},
		notes: "Servers and redis-benchmark, one thread of it, may run on cores " + cores + `, without pipelines. × INCR is the rate over that of
Redis's INCR, × Redis over that of Redis's same command. The rest is as in the table of throughput.`}
}
