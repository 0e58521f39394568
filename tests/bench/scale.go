package main

import (
	"context"
	"fmt"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// grown is a filled server, with the measurements of the filling.
type grown struct {
	*server.Server
	keys         int
	empty, full  int64 // resident bytes
	usual, worst time.Duration
}

// grow starts a server and fills it with throttle keys, or with strings of the same length if it does not know
// CL.THROTTLE.
func grow(ctx context.Context, o contest.Options, k server.Kind, keys int) (g *grown, err error) {
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	g = &grown{Server: s, keys: keys}
	if g.empty, err = s.Settled(ctx); err != nil {
		return nil, err
	}
	out, err := load.Drive(ctx, contest.ManyKeys(k, s.Addr, "key:", keys))
	if err != nil {
		return nil, err
	}
	if err := s.Holds(keys); err != nil {
		return nil, err
	}
	g.usual, g.worst = load.Percentile(out.Timings, 0.5), load.Percentile(out.Timings, 1)
	g.full, err = s.Settled(ctx)
	return g, err
}

// scaled are a server with few keys and a server with many keys, and their rows.
type scaled struct {
	few, many       *grown
	fewRow, manyRow contest.Row
}

// scaleOf measures a server with few keys and a server with many keys in turn. The other server is idle.
func scaleOf(ctx context.Context, o contest.Options, k server.Kind) (found scaled, err error) {
	if found.few, err = grow(ctx, o, k, min(contest.Keyspace, o.Keys)); err != nil {
		return found, err
	}
	defer found.few.Stop()
	if found.many, err = grow(ctx, o, k, o.Keys); err != nil {
		return found, err
	}
	defer found.many.Stop()
	at := load.Point{Pipeline: 1, Connections: 50}
	var takes []func() (load.Sample, error)
	for _, g := range []*grown{found.few, found.many} {
		takes = append(takes, func() (load.Sample, error) {
			return contest.MeasureOn(ctx, o, g.Server, contest.ManyKeysLoad(k, g.keys), at)
		})
	}
	samples, err := contest.Alternate(o.Repeats, takes)
	if err != nil {
		return found, err
	}
	found.fewRow = contest.NewRow(contest.Side{Kind: k, Workload: contest.ManyKeysLoad(k, found.few.keys), Point: at}, samples[0])
	found.manyRow = contest.NewRow(contest.Side{Kind: k, Workload: contest.ManyKeysLoad(k, found.many.keys), Point: at}, samples[1])
	return found, nil
}

// scale compares the latency of many keys with the latency of few keys.
func scale(ctx context.Context, o contest.Options) ([]report.Section, error) {
	t := report.Table{Numbers: 10, Head: []string{"server", "command", "keys", "bytes a key", "slowest insert, ms", "per second", "CPU µs", "p50", "p99", "p99.9",
		"p99.9, ×", "others"}}
	p := report.Bars{Caption: report.Caption{Name: "performance-scale.svg", Text: "p99.9 in ms, 50 connections without pipelines"}}
	for _, k := range contest.Peers(o) {
		found, err := scaleOf(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		p.Groups = append(p.Groups, k.Name)
		for i, r := range []contest.Row{found.fewRow, found.manyRow} {
			g := []*grown{found.few, found.many}[i]
			keys := report.Thousands(float64(g.keys))
			t.Add(k.Name, r.Workload, keys, fmt.Sprintf("%.1f", g.bytesPerKey()), report.InMilliseconds(g.worst-g.usual), report.Thousands(r.Rate),
				fmt.Sprintf("%.2f", r.CPU), report.Milliseconds(r.P50), report.Milliseconds(r.P99), report.Milliseconds(r.P999),
				fmt.Sprintf("%.2f", report.Median(contest.Ratios(r, found.fewRow, contest.ByP999))), report.Percent(r.Others))
			if len(p.Series) <= i {
				p.Series = append(p.Series, report.BarSeries{Name: keys + " keys"})
			}
			p.Series[i].Values = append(p.Series[i].Values, r.P999)
		}
	}
	return []report.Section{{ID: fmt.Sprintf("scale %d", o.Keys), Heading: "Many keys", Table: t, Plots: []report.Plot{p},
		Notes: `Keys of 16 bytes expire after an hour, and commands write to random keys. A server with few keys and a server with many keys
run at once, and the bench measures them in turn. × is the median of the ratios, round by round. Pipelines of 500 inserts fill the
server. The slowest insert is the time of the slowest pipeline minus the time of the median pipeline, as the client sees it.
` + "`go test -bench LongestInsert\n./store`" + ` measures the inserts themselves.`}}, nil
}

func (g *grown) bytesPerKey() float64 { return float64(g.full-g.empty) / float64(g.keys) }
