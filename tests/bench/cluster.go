package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cellserver/tests/bench/contest"
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
	begun, busy := time.Now(), server.LoadAverage()
	rows, err := clusterCosts(ctx, o)
	if err != nil {
		return nil, err
	}
	killed, moved, err := clusterGaps(ctx, o)
	if err != nil {
		return nil, err
	}
	sentinel, err := sentinelGaps(ctx, o)
	if err != nil {
		return nil, err
	}
	returned, err := returns(ctx, o)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(costVerdicts(rows), gapVerdicts(killed, moved, sentinel), returned)
	return []report.Section{costSection(rows), gapSection([]gaps{killed, moved, sentinel}), clusterTargets(all, time.Since(begun), busy)}, nil
}

// costRow is a point with its measurements, one for each round.
type costRow struct {
	point
	rounds []costs
}

// clusterCosts measures all deployments in turn, round by round. All of them run the whole time.
func clusterCosts(ctx context.Context, o contest.Options) (rows []costRow, err error) {
	all, stop, err := deploy(ctx, o)
	if err != nil {
		return nil, err
	}
	defer stop()
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

// deploy starts all deployments, and fills them.
func deploy(ctx context.Context, o contest.Options) (all []deployment, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, s := range stops {
			s()
		}
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	for _, name := range []string{alone, withoutLog, synced, ofOne, ofThree} {
		c, err := start(ctx, o, name)
		if err != nil {
			return nil, stop, err
		}
		stops = append(stops, c.Stop)
		leader, err := c.Leader(ctx)
		if err != nil {
			return nil, stop, err
		}
		if err := prepareDecisions(ctx, o, c.Addr(leader)); err != nil {
			return nil, stop, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, deployment{name, c.Addr(leader), c.PIDs(leader), decisions(o)})
	}
	r, err := nodes.StartReplicated(ctx, 0)
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, r.Stop)
	return append(all, deployment{replicated, r.Addrs()[0], r.PIDs(), countedTwice}), stop, prepareCounters(ctx, r.Addrs()[0])
}

// start starts a deployment of cellserver. The server that is alone has the defaults, so it logs each change.
func start(ctx context.Context, o contest.Options, name string) (*nodes.Cluster, error) {
	switch name {
	case alone:
		return nodes.StartAlone(ctx, o.Cellserver)
	case withoutLog:
		return nodes.StartAlone(ctx, o.Cellserver, "--appendonly", "no")
	case synced:
		return nodes.StartAlone(ctx, o.Cellserver, "--appendfsync", "always")
	case ofOne:
		return nodes.StartCluster(ctx, o.Cellserver, 1)
	default:
		return nodes.StartCluster(ctx, o.Cellserver, 3)
	}
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

// costVerdicts compares the costs with their bounds.
func costVerdicts(rows []costRow) (all []verdict) {
	add := func(what, name, kind string, pipeline int, over string, measure func(costs) float64, bound float64) {
		of, base := rowOf(rows, name, kind, pipeline), rowOf(rows, over, kind, pipeline)
		all = append(all, verdict{name: fmt.Sprintf("%s, %s, P=%d", what, kind, pipeline), bound: bound, unit: asTimes,
			rounds: ratios(of, base, measure), others: max(of.others(), base.others())})
	}
	for i, pipeline := range []int{1, 16, 64} {
		add("CPU of the leader over one node", ofThree, admitted, pipeline, alone, byLeader, []float64{1.4, 1.6, 2.0}[i])
	}
	for i, pipeline := range []int{1, 16} {
		add("CPU of the leader over one node with appendfsync always", ofThree, admitted, pipeline, synced, byLeader, []float64{1.15, 1.25}[i])
	}
	for i, pipeline := range []int{1, 16, 64} {
		add("CPU of three nodes over one", ofThree, admitted, pipeline, alone, byAll, []float64{2.2, 3.0, 4.0}[i])
	}
	for _, pipeline := range []int{1, 16} {
		add("CPU of the leader over one node", ofThree, refused, pipeline, alone, byLeader, 1.05)
	}
	for _, pipeline := range []int{1, 16, 64} {
		add("CPU of a cluster of one over one node", ofOne, admitted, pipeline, alone, byAll, 1.25)
	}
	for _, pipeline := range []int{1, 16, 64} {
		add("CPU of three nodes over Redis, a replica and WAIT 1", ofThree, admitted, pipeline, replicated, byAll, 1)
	}
	return all
}

func (r *costRow) others() float64 { return report.Largest(r.rounds, costs.Disturbed) }

// costSection makes a table of the rows.
func costSection(rows []costRow) report.Section {
	t := report.Table{Numbers: 9, Head: []string{"deployment", "decisions", "P", "per second", "CPU µs", "× alone", "all CPU µs", "× alone", "p50", "p99", "others"}}
	for _, r := range rows {
		base := rowOf(rows, alone, r.kind, r.pipeline)
		of := func(measure func(costs) float64) float64 { return report.MedianOf(r.rounds, measure) }
		t.Add(r.name, r.kind, fmt.Sprint(r.pipeline), report.Thousands(of(func(c costs) float64 { return c.Rate })),
			fmt.Sprintf("%.2f", of(byLeader)), fmt.Sprintf("%.2f", report.Median(ratios(r, base, byLeader))),
			fmt.Sprintf("%.2f", of(byAll)), fmt.Sprintf("%.2f", report.Median(ratios(r, base, byAll))),
			report.Milliseconds(of(func(c costs) float64 { return c.P50 })), report.Milliseconds(of(func(c costs) float64 { return c.P99 })),
			report.Percent(r.others()))
	}
	return report.Section{ID: "cluster", Heading: "Several nodes", Table: t,
		Notes: `A decision is a CL.THROTTLE of one of 100,000 keys, from 50 connections. On Redis it is an INCR, and at the end of each pipeline a
WAIT for the replica. All processes and the clients share all cores. CPU is the processor time of the process that decides, user and
system, for one decision. All CPU is that of all nodes. × alone is the same divided by the time of one server that is alone: the
median of the ratios, round by round. That server has the defaults, so it logs each change, as the nodes of a cluster do. It stands
beside one without a log, and beside one that waits for the disk before it replies. Latencies are in ms.`}
}

// clusterTargets makes a table of the verdicts. busy is the load of the machine before the measurements.
func clusterTargets(all []verdict, took time.Duration, busy string) report.Section {
	s := targetsSection(all, took)
	s.ID, s.Heading = "cluster-targets", "Targets for several nodes"
	s.Notes += fmt.Sprintf(" All nodes share one machine. Its load average was %s before the measurements, and %s after them.", busy, server.LoadAverage())
	return s
}
