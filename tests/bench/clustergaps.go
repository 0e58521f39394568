package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/nodes"
	"cellserver/tests/bench/report"
)

// writers is how many clients write while the leader changes.
const writers = 8

// gaps are the longest times of a client without a reply, in seconds, one for each event of one kind.
type gaps struct {
	event, deployment string
	all               []float64
}

// gapOf returns the longest time of a client without a reply around an event. It waits until all clients go on.
func gapOf(ctx context.Context, c *nodes.Clients, event func() error) (float64, error) {
	if err := c.Await(ctx, time.Now()); err != nil {
		return 0, err
	}
	c.Mark()
	if err := event(); err != nil {
		return 0, err
	}
	if err := c.Await(ctx, time.Now()); err != nil {
		return 0, err
	}
	return c.Longest().Seconds(), nil
}

// clusterGaps kills the leader, and moves it as planned, again and again.
func clusterGaps(ctx context.Context, o contest.Options) (killed, moved gaps, err error) {
	killed, moved = gaps{event: "kill -9 of the leader", deployment: ofThree}, gaps{event: "CLUSTER FAILOVER", deployment: ofThree}
	c, err := nodes.StartCluster(ctx, o.Cellserver, 3)
	if err != nil {
		return killed, moved, err
	}
	defer c.Stop()
	clients, err := nodes.StartClients(ctx, writers, c.Addrs())
	if err != nil {
		return killed, moved, err
	}
	defer clients.Stop()
	for range o.Kills {
		kill, transfer, err := breakLeader(ctx, c, clients)
		if err != nil {
			return killed, moved, err
		}
		report.Say("kill: %.3f s, transfer: %.3f s", kill, transfer)
		killed.all, moved.all = append(killed.all, kill), append(moved.all, transfer)
	}
	return killed, moved, nil
}

// breakLeader kills the leader, starts it again, and then moves the lead to the next node.
func breakLeader(ctx context.Context, c *nodes.Cluster, clients *nodes.Clients) (kill, transfer float64, err error) {
	leader, err := c.Leader(ctx)
	if err != nil {
		return 0, 0, err
	}
	if kill, err = gapOf(ctx, clients, func() error { c.Kill(leader); return nil }); err != nil {
		return 0, 0, err
	}
	if err = c.Heal(ctx); err != nil {
		return 0, 0, err
	}
	if leader, err = c.Leader(ctx); err != nil {
		return 0, 0, err
	}
	transfer, err = gapOf(ctx, clients, func() error { return c.Lead((leader + 1) % len(c.Addrs())) })
	return kill, transfer, err
}

// returns fills a cluster with many keys. It measures how soon a node is back, and what a snapshot costs clients.
func returns(ctx context.Context, o contest.Options) ([]verdict, error) {
	c, err := nodes.StartCluster(ctx, o.Cellserver, 3)
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	leader, err := c.Leader(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := load.Drive(ctx, contest.ManyKeys(contest.Ours(o), c.Addr(leader), "many", o.Keys)); err != nil {
		return nil, err
	}
	keys := report.Thousands(float64(o.Keys))
	back := verdict{name: "a node with " + keys + " keys is back after kill -9", bound: 1, unit: asSeconds}
	held := verdict{name: "a snapshot of " + keys + " keys on the leader makes a client wait longer, at most", bound: 5, unit: asMillis}
	for i := range o.Repeats {
		follower := (leader + 1 + i%2) % 3
		c.Kill(follower)
		took, err := c.Return(ctx, follower, leader)
		if err != nil {
			return nil, err
		}
		if err := c.Heal(ctx); err != nil {
			return nil, err
		}
		more, err := waitOfSnapshot(ctx, c, leader)
		if err != nil {
			return nil, err
		}
		report.Say("a node is back after %v; a snapshot takes %.2f ms more", took, more)
		back.rounds, held.rounds = append(back.rounds, took.Seconds()), append(held.rounds, more)
	}
	return []verdict{back, held}, nil
}

// waitOfSnapshot returns how much longer than before a client waits at most while the leader takes a snapshot, in ms.
func waitOfSnapshot(ctx context.Context, c *nodes.Cluster, leader int) (float64, error) {
	clients, err := nodes.StartClients(ctx, writers, c.Addrs())
	if err != nil {
		return 0, err
	}
	defer clients.Stop()
	var took time.Duration
	during, err := gapOf(ctx, clients, func() error {
		begun := time.Now()
		defer func() { took = time.Since(begun) }()
		return c.Snapshot(ctx, leader)
	})
	if err != nil {
		return 0, err
	}
	quiet, err := gapOf(ctx, clients, func() error { time.Sleep(took); return nil })
	return 1e3 * (during - quiet), err
}

// sentinelGaps kills the master of Redis, which three sentinels watch.
func sentinelGaps(ctx context.Context, o contest.Options) (killed gaps, err error) {
	killed = gaps{event: "kill -9 of the master", deployment: "Redis, replica, 3 sentinels"}
	for range max(1, o.Kills/2) {
		gap, err := sentinelGap(ctx)
		if err != nil {
			return killed, err
		}
		report.Say("Redis with sentinels: %.3f s", gap)
		killed.all = append(killed.all, gap)
	}
	return killed, nil
}

func sentinelGap(ctx context.Context) (float64, error) {
	r, err := nodes.StartReplicated(ctx, 3)
	if err != nil {
		return 0, err
	}
	defer r.Stop()
	clients, err := nodes.StartClients(ctx, writers, r.Addrs())
	if err != nil {
		return 0, err
	}
	defer clients.Stop()
	return gapOf(ctx, clients, func() error { r.KillMaster(); return nil })
}

// gapSection makes a table of the gaps.
func gapSection(all []gaps) report.Section {
	t := report.Table{Numbers: 4, Head: []string{"event", "deployment", "events", "least, s", "median, s", "largest, s"}}
	for _, g := range all {
		t.Add(g.event, g.deployment, fmt.Sprint(len(g.all)), fmt.Sprintf("%.3f", slices.Min(g.all)), fmt.Sprintf("%.3f", report.Median(g.all)),
			fmt.Sprintf("%.3f", slices.Max(g.all)))
	}
	return report.Section{ID: "cluster-gaps", Heading: "Time without a reply", Table: t,
		Notes: `Eight clients increment a counter each, with a pause of a millisecond. After an error a client asks the next node, or the one that
MOVED names. The longest time of a client without a reply counts for an event. The sentinels have a down-after of one second.`}
}

// gapVerdicts compares the gaps with their bounds.
func gapVerdicts(killed, moved, sentinel gaps) []verdict {
	const what = "a client without a reply, kill -9 of the leader"
	return []verdict{
		{name: what + ", median", bound: 1.0, unit: asSeconds, rounds: killed.all},
		{name: what + ", longest", bound: 1.5, unit: asSeconds, rounds: killed.all, largest: true},
		{name: what + ", longest over that of Redis with sentinels", bound: 1, unit: asTimes, rounds: []float64{slices.Max(killed.all) / slices.Max(sentinel.all)}},
		{name: "a client without a reply, planned transfer, longest", bound: 0.05, unit: asSeconds, rounds: moved.all, largest: true},
	}
}
