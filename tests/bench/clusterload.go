package main

import (
	"context"
	"strings"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

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
		return load.Drive(ctx, load.Load{Addr: p.addr, Connections: 50, Pipeline: p.pipeline, Duration: time.Duration(seconds * 1e9),
			Script: p.script(p.kind, p.pipeline)})
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
		c.P50, c.P99 = report.InMs(load.Percentile(out.Timings, 0.5)), report.InMs(load.Percentile(out.Timings, 0.99))
		return c, nil
	})
	report.Say("%-22s %-8s P=%-2d %8.0f/s %6.2f µs, all %6.2f µs", p.name, p.kind, p.pipeline, found.Rate, found.CPU, found.all)
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
func decisions(o contest.Options) func(kind string, pipeline int) func(connection int) load.Script {
	return func(kind string, _ int) func(connection int) load.Script {
		if kind == admitted {
			return contest.Usage(contest.Ours(o))
		}
		return func(connection int) load.Script {
			return func(request, reply []byte, i int) ([]byte, []byte) {
				return load.Command(request, "CL.THROTTLE", usedKey("full:", connection, i), "0", "1", "1000000"),
					append(reply, "*5\r\n:1\r\n:1\r\n:0\r\n:??????\r\n:??????\r\n"...)
			}
		}
	}
}

func usedKey(prefix string, connection, i int) string {
	return load.Key(prefix, (connection*1009+i*7919)%contest.Keyspace)
}

// prepareDecisions creates the keys for decisions.
func prepareDecisions(ctx context.Context, o contest.Options, addr string) error {
	if err := contest.FillUsed(ctx, &server.Server{Kind: contest.Ours(o), Addr: addr}); err != nil {
		return err
	}
	// A key without room gets it back after 11 days; no second of them may pass during the filling.
	reply := strings.Replace(load.ThrottleReply(0, 1, 0, -1, 1_000_000), ":1000000", ":???????", 1)
	_, err := load.Drive(ctx, load.Filler(addr, contest.Keyspace, func(b []byte, i int) []byte {
		return load.Command(b, "CL.THROTTLE", load.Key("full:", i), "0", "1", "1000000")
	}, reply))
	return err
}

// countedTwice is the script for Redis: it counts, and at the end of a pipeline it waits until the replica has counted, too.
func countedTwice(_ string, pipeline int) func(connection int) load.Script {
	return func(connection int) load.Script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			request, reply = load.Command(request, "INCR", usedKey("key:", connection, i)), append(reply, ":???????\r\n"...)
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
