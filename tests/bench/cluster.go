package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
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

// The kinds of decisions.
const (
	admitted = "admitted"
	refused  = "refused"
)

// cluster measures what several nodes cost, and how long clients wait when one of them dies.
func cluster(t testing.TB, o contest.Options) []section {
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	require.NoError(t, err)
	o.Core = strings.TrimSpace(string(online))
	contest.Pin(t, o.Core)
	rows := contest.Run(t, o, selected(clusterSides(t, o), o.Only))
	var waits []float64
	if o.Only == "" {
		waits = deaths(t, o)
	}
	return []section{clusterSection(rows, waits)}
}

// deaths kills the leader again and again. It returns the longest times of a client without a reply, in
// seconds.
func deaths(t testing.TB, o contest.Options) (waits []float64) {
	c := contest.StartCluster(t, o, 3)
	for range o.Kills {
		wait := c.Silence(t, 8)
		t.Logf("kill -9 of the leader: %.3f s without a reply", wait.Seconds())
		waits = append(waits, wait.Seconds())
		c.Heal(t)
	}
	c.Stop()
	return waits
}

// clusterSides starts all deployments, and returns their sides. All of them run until the end. The server
// that is alone has the defaults, so it logs each change.
func clusterSides(t testing.TB, o contest.Options) (sides []contest.Side) {
	single := func(directives ...string) contest.Cluster {
		return contest.Cluster{contest.Ours(o, directives...).Start(t, o.Core)}
	}
	all := []struct {
		name  string
		nodes contest.Cluster
	}{
		{alone, single()}, {withoutLog, single("--appendonly", "no")},
		{synced, single("--appendfsync", "always")},
		{ofOne, contest.StartCluster(t, o, 1)}, {ofThree, contest.StartCluster(t, o, 3)},
		{replicated, contest.StartReplicated(t, o)},
	}
	for _, d := range all {
		if d.name != replicated {
			contest.FillFull(t, d.nodes.Leader(t))
		}
	}
	for _, kind := range []string{admitted, refused} {
		for _, pipeline := range []int{1, 16, 64} {
			for _, d := range all {
				if kind == refused && (d.name == replicated || d.name == synced || pipeline == 64) {
					continue // nothing to compare it with
				}
				script := contest.Admits
				switch {
				case kind == refused:
					script = contest.Refuses
				case d.name == replicated:
					script = contest.CountsTwice(pipeline)
				}
				sides = append(sides, side(d.name, kind, pipeline, d.nodes, script))
			}
		}
	}
	return sides
}

// side returns decisions of a deployment. The leader takes them all.
func side(
	name, kind string, pipeline int, nodes contest.Cluster, script func(connection int) contest.Script,
) contest.Side {
	at := contest.Point{Pipeline: pipeline, Connections: 50}
	return contest.Side{Name: kind, Server: name, Point: at, Open: func(t testing.TB) contest.Running {
		leader := nodes.Leader(t)
		load := contest.Clients(t, []string{leader.Addr}, script, at)
		return contest.Running{PIDs: nodes.PIDs(leader), Load: load, Close: func() {}}
	}}
}

func titleOf(s contest.Side) string { return fmt.Sprintf("%s, P=%d, %s", s.Server, s.Pipeline, s.Name) }

// selected returns the sides whose title contains a text, and the sides that they are compared with.
func selected(sides []contest.Side, only string) []contest.Side {
	return slices.DeleteFunc(slices.Clone(sides), func(s contest.Side) bool {
		return !slices.ContainsFunc(sides, func(of contest.Side) bool {
			return strings.Contains(titleOf(of), only) && (titleOf(of) == titleOf(s) ||
				s.Server == alone && s.Name == of.Name && s.Point == of.Point)
		})
	})
}

// clusterSection makes a table of the rows.
func clusterSection(rows []contest.Row, waits []float64) section {
	t := table{numbers: 9, head: []string{
		"deployment", "decisions", "P", "per second", "CPU µs", "× alone", "all CPU µs", "× alone",
		"p50", "p99", "others",
	}}
	for _, r := range rows {
		base := *contest.RowOf(rows, r.Name, alone, r.Point)
		number := func(by func(contest.Sample) float64) string { return fmt.Sprintf("%.2f", r.Median(by)) }
		over := func(by func(contest.Sample) float64, most float64) string {
			ratio := fmt.Sprintf("%.2f", contest.Median(r.Ratios(base, by)))
			if most > 0 {
				ratio += fmt.Sprintf(" (≤ %.2f)", most)
			}
			return ratio
		}
		most := bounds[titleOf(r.Side)]
		t.add(r.Server, r.Name, fmt.Sprint(r.Pipeline), thousands(r.Median(contest.ByRate)),
			number(contest.ByCPU), over(contest.ByCPU, most.leader),
			number(contest.ByAllCPU), over(contest.ByAllCPU, most.all),
			number(func(s contest.Sample) float64 { return s.P50 }),
			number(func(s contest.Sample) float64 { return s.P99 }), percent(r.Others()))
	}
	return section{id: "cluster", heading: "Several nodes", table: t, notes: costNotes + deathNotes(waits)}
}

// bounds say how often a decision may cost what it costs alone.
var bounds = map[string]struct{ leader, all float64 }{
	ofOne + ", P=1, admitted":   {1.25, 1.25},
	ofThree + ", P=1, admitted": {1.40, 2.20},
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
		len(waits), contest.Median(waits), slices.Min(waits), slices.Max(waits))
}
