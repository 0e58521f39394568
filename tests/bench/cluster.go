package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/nodes"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// The deployments of the comparison.
const (
	alone      = "cellserver, alone"
	withoutLog = "cellserver, no log"
	synced     = "cellserver, fsync always"
	ofOne      = "cellserver, cluster of 1"
	ofThree    = "cellserver, cluster of 3"
	replicated = "Redis, replica, WAIT 1"
)

// clusterMode measures what several nodes cost, and how long clients wait when one of them dies.
func clusterMode(ctx context.Context, o contest.Options) ([]report.Section, error) {
	o, undo, err := contest.OnAllCores(ctx, o)
	if err != nil {
		return nil, err
	}
	defer undo()
	rows, err := clusterCosts(ctx, o)
	if err != nil {
		return nil, err
	}
	var waits []float64
	if o.Only == "" {
		waits, err = deaths(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return []report.Section{clusterSection(rows, waits)}, nil
}

// costRow is a point with its measurements, one for each round.
type costRow struct {
	point
	rounds []costs
}

// clusterCosts measures all deployments in turn, round by round. All of them run the whole time.
func clusterCosts(ctx context.Context, o contest.Options) (rows []costRow, err error) {
	all, stop, err := deploy(ctx, o)
	defer stop()
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{admitted, refused} {
		for _, pipeline := range []int{1, 16, 64} {
			for _, d := range all {
				if kind == refused && (d.name == replicated || d.name == synced || pipeline == 64) {
					continue // nothing to compare it with
				}
				rows = append(rows, costRow{point: point{d, kind, pipeline}})
			}
		}
	}
	rows = selected(rows, o.Only)
	for range o.Repeats {
		for i := range rows {
			found, err := measureCost(ctx, o, rows[i].point)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].rounds = append(rows[i].rounds, found)
		}
	}
	return rows, nil
}

// selected returns the rows whose title contains a text, and the rows that they are compared with.
func selected(rows []costRow, only string) (some []costRow) {
	return slices.DeleteFunc(slices.Clone(rows), func(r costRow) bool {
		return !slices.ContainsFunc(rows, func(of costRow) bool {
			return strings.Contains(of.title(), only) && (of.title() == r.title() ||
				r.name == alone && r.kind == of.kind && r.pipeline == of.pipeline)
		})
	})
}

// deploy starts all deployments, and fills them. The server that is alone has the defaults, so it logs each
// change.
func deploy(ctx context.Context, o contest.Options) (all []deployment, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, s := range stops {
			s()
		}
	}
	for _, d := range []struct {
		name    string
		nodes   int
		options []string
	}{
		{alone, 0, nil}, {withoutLog, 0, []string{"--appendonly", "no"}},
		{synced, 0, []string{"--appendfsync", "always"}}, {ofOne, 1, nil}, {ofThree, 3, nil},
	} {
		c, err := nodes.Start(ctx, o.Cellserver, d.nodes, d.options...)
		if err != nil {
			return nil, stop, err
		}
		stops = append(stops, c.Stop)
		leader, err := c.Leader(ctx)
		if err != nil {
			return nil, stop, err
		}
		addr := c.Addr(leader)
		if err := errors.Join(contest.FillUsed(ctx, addr), contest.FillFull(ctx, addr)); err != nil {
			return nil, stop, fmt.Errorf("%s: %w", d.name, err)
		}
		all = append(all, deployment{d.name, addr, c.PIDs(leader), decisions})
	}
	r, err := nodes.StartReplicated(ctx)
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, r.Stop)
	all = append(all, deployment{replicated, r.Addr(0), r.PIDs(0), countedTwice})
	return all, stop, prepareCounters(ctx, r.Addr(0))
}

// deaths kills the leader again and again. It returns the longest times of a client without a reply, in
// seconds.
func deaths(ctx context.Context, o contest.Options) (waits []float64, err error) {
	c, err := nodes.Start(ctx, o.Cellserver, 3)
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	clients, err := nodes.StartClients(ctx, 8, c.Addrs())
	if err != nil {
		return nil, err
	}
	defer clients.Stop()
	for range o.Kills {
		leader, err := c.Leader(ctx)
		if err != nil {
			return nil, err
		}
		if err := clients.Await(ctx, time.Now()); err != nil {
			return nil, err
		}
		clients.Mark()
		c.Kill(leader)
		if err := clients.Await(ctx, time.Now()); err != nil {
			return nil, err
		}
		waits = append(waits, clients.Longest().Seconds())
		report.Say("kill -9 of the leader: %.3f s without a reply", waits[len(waits)-1])
		if err := c.Heal(ctx); err != nil {
			return nil, err
		}
	}
	return waits, nil
}

// rowOf returns the row of a deployment.
func rowOf(rows []costRow, name, kind string, pipeline int) costRow {
	return rows[slices.IndexFunc(rows, func(r costRow) bool { return r.name == name && r.kind == kind && r.pipeline == pipeline })]
}

// ratios divides a measure of one row by that of another one, round by round.
func ratios(of, over costRow, measure func(costs) float64) (all []float64) {
	for i := range of.rounds {
		all = append(all, measure(of.rounds[i])/measure(over.rounds[i]))
	}
	return all
}

// clusterSection makes a table and a plot of the rows.
func clusterSection(rows []costRow, waits []float64) report.Section {
	t := report.Table{Numbers: 9, Head: []string{"deployment", "decisions", "P", "per second", "CPU µs",
		"× alone", "all CPU µs", "× alone", "p50", "p99", "others"}}
	p := report.Bars{Name: "performance-cluster.svg", Title: "CPU of all nodes per decision, µs"}
	for _, r := range rows {
		base := rowOf(rows, alone, r.kind, r.pipeline)
		of := func(measure func(costs) float64) float64 { return report.MedianOf(r.rounds, measure) }
		most := bounds[r.title()]
		rate, p50 := of(func(c costs) float64 { return c.Rate }), of(func(c costs) float64 { return c.P50 })
		t.Add(r.name, r.kind, fmt.Sprint(r.pipeline), report.Thousands(rate),
			fmt.Sprintf("%.2f", of(byLeader)), times(report.Median(ratios(r, base, byLeader)), most.leader),
			fmt.Sprintf("%.2f", of(byAll)), times(report.Median(ratios(r, base, byAll)), most.all),
			report.Milliseconds(p50), report.Milliseconds(of(func(c costs) float64 { return c.P99 })),
			report.Percent(report.Largest(r.rounds, costs.Disturbed)))
		if r.kind == admitted {
			p.Put(r.name, fmt.Sprintf("pipeline of %d", r.pipeline), of(byAll))
		}
	}
	return report.Section{ID: "cluster", Heading: "Several nodes", Table: t, Plots: []report.Bars{p},
		Notes: costNotes + deathNotes(waits)}
}

// bound is how often a decision may cost what it costs alone; 0 for no bound.
type bound struct{ leader, all float64 }

// bounds are those of the points that have one.
var bounds = map[string]bound{
	ofOne + ", P=1, admitted":   {1.25, 1.25},
	ofThree + ", P=1, admitted": {1.40, 2.20},
}

// times returns a ratio, and its bound if there is one.
func times(ratio, most float64) string {
	if most == 0 {
		return fmt.Sprintf("%.2f", ratio)
	}
	return fmt.Sprintf("%.2f (≤ %.2f)", ratio, most)
}

const costNotes = `
A decision is a CL.THROTTLE of one of 100,000 keys, from 50 connections. On Redis it is an INCR, and at
the end of each pipeline a WAIT for the replica. All processes and the clients share all cores. CPU is
the processor time of the process that decides, user and system, for one decision. All CPU is that of
all nodes. × alone is the same divided by the time of one server that is alone: the median of the
ratios, round by round. That server has the defaults, so it logs each change, as the nodes of a cluster
do. It stands beside one without a log, and beside one that waits for the disk before it replies.
A bound stands in brackets. Latencies are in ms.`

// deathNotes says how long clients waited when the leader died.
func deathNotes(waits []float64) string {
	if len(waits) == 0 {
		return ""
	}
	return fmt.Sprintf(`

Then eight clients of a cluster of 3 increment a counter each, with a pause of a millisecond. After %d
times kill -9 of the leader, a client had no reply for %.2f s: the median of the longest times. The
least was %.2f s, the largest %.2f s.`,
		len(waits), report.Median(waits), slices.Min(waits), slices.Max(waits))
}

// deployment is a side of the comparison: one server, a cluster, or Redis with a replica.
type deployment struct {
	name   string
	addr   string // of the server that decides
	pids   []int  // of all processes, first the one that decides
	script func(kind string, pipeline int) func(connection int) load.Script
}

// The kinds of decisions.
const (
	admitted = "admitted"
	refused  = "refused"
)

// point is what one measurement asks of a deployment.
type point struct {
	deployment
	kind     string
	pipeline int
}

func (p point) title() string { return fmt.Sprintf("%s, P=%d, %s", p.name, p.pipeline, p.kind) }

// costs are the measurements of a point. CPU is that of the process that decides.
type costs struct {
	load.Sample
	all float64 // CPU of all processes, µs for each decision
}

func byAll(c costs) float64    { return c.all }
func byLeader(c costs) float64 { return c.CPU }

// measureCost puts load on a deployment, and returns what a decision costs.
func measureCost(ctx context.Context, o contest.Options, p point) (costs, error) {
	drive := func(seconds float64) (load.Outcome, error) {
		return load.Drive(ctx, load.Load{Addr: p.addr, Connections: 50, Pipeline: p.pipeline,
			Duration: time.Duration(seconds * 1e9), Script: p.script(p.kind, p.pipeline)})
	}
	if _, err := drive(o.Seconds / 4); err != nil {
		return costs{}, err
	}
	found, err := server.LeastDisturbed(func() (c costs, err error) {
		before, err := cpuOf(p.pids)
		if err != nil {
			return c, err
		}
		var out load.Outcome
		c.Others, err = server.Observe(p.pids, func() (err error) { out, err = drive(o.Seconds); return err })
		if err != nil {
			return c, err
		}
		after, err := cpuOf(p.pids)
		if err != nil {
			return c, err
		}
		each := 1e6 / float64(out.Requests)
		for i := range after {
			c.all += (after[i] - before[i]).Seconds() * each
		}
		c.CPU = (after[0] - before[0]).Seconds() * each
		c.Rate = float64(out.Requests) / out.Elapsed.Seconds()
		c.P50 = report.InMs(load.Percentile(out.Timings, 0.5))
		c.P99 = report.InMs(load.Percentile(out.Timings, 0.99))
		return c, nil
	})
	report.Say("%-22s %-8s P=%-2d %8.0f/s %6.2f µs, all %6.2f µs",
		p.name, p.kind, p.pipeline, found.Rate, found.CPU, found.all)
	return found, err
}

func cpuOf(pids []int) (all []time.Duration, err error) {
	for _, pid := range pids {
		used, err := server.CPU(pid)
		if err != nil {
			return nil, err
		}
		all = append(all, used)
	}
	return all, nil
}

// decisions are the scripts for cellserver: CL.THROTTLE on keys with room, and on keys without.
func decisions(kind string, _ int) func(connection int) load.Script {
	if kind == admitted {
		return contest.Usage
	}
	return func(connection int) load.Script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			key := contest.SomeKey("full:", connection, i)
			return load.Command(request, "CL.THROTTLE", key, "0", "1", "1000000"),
				append(reply, "*5\r\n:1\r\n:1\r\n:0\r\n:??????\r\n:??????\r\n"...)
		}
	}
}

// countedTwice is the script for Redis: it counts, and at the end of a pipeline it waits until the replica
// has counted, too.
func countedTwice(_ string, pipeline int) func(connection int) load.Script {
	return func(connection int) load.Script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			request = load.Command(request, "INCR", contest.SomeKey("key:", connection, i))
			reply = append(reply, ":???????\r\n"...)
			if i%pipeline == pipeline-1 {
				request, reply = load.Command(request, "WAIT", "1", "0"), append(reply, ":1\r\n"...)
			}
			return request, reply
		}
	}
}

// prepareCounters gives all counters seven digits.
func prepareCounters(ctx context.Context, addr string) error {
	_, err := load.Drive(ctx, load.Filler(addr, contest.Keyspace, func(b []byte, i int) []byte {
		return load.Command(b, "SET", load.Key("key:", i), "1000000")
	}, "+OK\r\n"))
	return err
}
