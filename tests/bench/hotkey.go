package main

import (
	"context"
	"fmt"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
)

// hotKeyRows measures a key for each client and one key for all, with all cores, at one depth of the pipeline.
func hotKeyRows(ctx context.Context, o contest.Options, pipeline int) ([]contest.Row, error) {
	o, undo, err := contest.OnAllCores(ctx, o)
	if err != nil {
		return nil, err
	}
	defer undo()
	at := load.Point{Pipeline: pipeline, Connections: contest.HotClients}
	return contest.Run(ctx, o, []contest.Side{{Kind: contest.Ours(o), Workload: contest.KeysEach, Point: at}, {Kind: contest.Ours(o), Workload: contest.OneKey, Point: at}})
}

// hotKey measures what clients of one key cost each other.
func hotKey(ctx context.Context, o contest.Options) ([]report.Section, error) {
	t := report.Table{Numbers: 9, Head: []string{"clients", "P", "per second", "time, ×", "CPU µs", "p50", "p99", "p99.9", "max", "others"}}
	for _, pipeline := range []int{1, 16} {
		rows, err := hotKeyRows(ctx, o, pipeline)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			t.Add(r.Workload, fmt.Sprint(pipeline), report.Thousands(r.Rate), fmt.Sprintf("%.2f", report.Median(contest.Ratios(rows[0], r, contest.ByRate))),
				fmt.Sprintf("%.2f", r.CPU), report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999), report.Milliseconds(r.Max), report.Percent(r.Others))
		}
	}
	return []report.Section{{ID: "hotkey", Heading: "One hot key", Table: t,
		Notes: `CL.THROTTLE of 8 clients with a connection each. The clients are part of this bench, which shares all cores with the server.
× is the time for a command divided by the time with a key for each client: the median of the ratios, round by round.
` + "`go test -bench 'Throttle8' ./server`" + ` measures the cost of a command without sockets.`}}, nil
}
