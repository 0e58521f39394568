package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// ofRedis is a workload on Redis. ofOurs is a workload on cellserver.
func ofRedis(o contest.Options, workload string, p load.Point) contest.Side {
	return contest.Side{Kind: contest.Kinds(o)[0], Workload: contest.WorkloadNamed(workload), Point: p}
}
func ofOurs(o contest.Options, workload string, p load.Point) contest.Side {
	return contest.Side{Kind: contest.Ours(o), Workload: contest.WorkloadNamed(workload), Point: p}
}

// cpuTargets bound the processor time of commands.
func cpuTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, c := range []struct {
		pipeline int
		bound    float64
	}{{1, 0.95}, {16, 0.75}, {64, 0.60}} {
		at := load.Point{Pipeline: c.pipeline, Connections: 50}
		throttle := verdict{name: fmt.Sprintf("CPU of CL.THROTTLE over Redis's INCR, P=%d", c.pipeline), bound: c.bound, unit: asTimes}
		all = append(all, compared(ctx, o, contest.ByCPU, ofRedis(o, contest.Yardstick, at), contender{throttle, ofOurs(o, "CL.THROTTLE", at)})...)
	}
	for _, command := range []string{contest.Yardstick, "SET", "GET", "ZADD, a large set", contest.Transaction} {
		for _, pipeline := range []int{1, 16} {
			at := load.Point{Pipeline: pipeline, Connections: 50}
			same := verdict{name: fmt.Sprintf("CPU of %s over Redis's, P=%d", command, pipeline), bound: 1, unit: asTimes}
			all = append(all, compared(ctx, o, contest.ByCPU, ofRedis(o, command, at), contender{same, ofOurs(o, command, at)})...)
		}
	}
	return all
}

// limiterTargets compare other limiters with CL.THROTTLE and with the transaction that CL.LOG replaces.
func limiterTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, pipeline := range []int{1, 16} {
		at := load.Point{Pipeline: pipeline, Connections: 50}
		contend := func(command, over string, bound float64) contender {
			v := verdict{name: fmt.Sprintf("CPU of %s over %s, P=%d", command, over, pipeline), bound: bound, unit: asTimes}
			return contender{v, ofOurs(o, command, at)}
		}
		const throttle = "CL.THROTTLE"
		all = append(all, compared(ctx, o, contest.ByCPU, ofOurs(o, throttle, at),
			contend("CL.WINDOW", throttle, 1.15), contend("CL.SLIDING", throttle, 1.15), contend("CL.CHECK", throttle, 1.60))...)
		all = append(all, compared(ctx, o, contest.ByCPU, ofOurs(o, contest.Transaction, at), contend("CL.LOG", contest.Transaction, 0.35))...)
	}
	return all
}

// budgetTargets compare what budgets need with CL.THROTTLE, with the log on. Two CL.CHECK may cost twice what one may cost in
// limiterTargets. They decide and count as often as a reservation with its settlement, and keep no record. Three scopes may cost a
// reservation twice as much as one.
func budgetTargets(ctx context.Context, o contest.Options) []verdict {
	at := load.Point{Pipeline: 16, Connections: 50}
	logging := func(workload string) contest.Side {
		side := ofOurs(o, workload, at)
		side.Keeps = logged("everysec")
		return side
	}
	contend := func(workload string, bound float64) contender {
		v := verdict{name: fmt.Sprintf("CPU of %s over CL.THROTTLE, P=%d, log on", workload, at.Pipeline), bound: bound, unit: asTimes}
		return contender{v, logging(workload)}
	}
	return compared(ctx, o, contest.ByCPU, logging(contest.UserThrottle), contend(contest.ThreeScopes, 2.2), contend(contest.TwoChecks, 3.2),
		contend(contest.Reservation, 3), contend(contest.LaterSettlement, 6), contend(contest.ScopeReservation, 6))
}

// keyTargets bound the memory and the latency of many keys.
func keyTargets(ctx context.Context, o contest.Options) []verdict {
	keys := report.Thousands(float64(o.Keys))
	size := verdict{name: "resident memory of a throttle key, " + keys + " keys of 16 bytes", bound: 48, unit: asBytes}
	slower := verdict{name: "p99.9 with " + keys + " keys over 100,000", bound: 1.2, unit: asTimes}
	// A p99.9 consists of a few rare moments, so it needs many rounds.
	o.Repeats *= 3
	found, err := scaleOf(ctx, o, contest.Ours(o))
	if err != nil {
		return failed(err, size, slower)
	}
	size.rounds = []float64{found.many.bytesPerKey()}
	slower.compare(found.manyRow, found.fewRow, contest.ByP999)
	return []verdict{size, slower}
}

// pauseTargets bound the longest pauses of the store. Micro-benchmarks measure an insert on the way to ten million
// keys, and a snapshot of ten million keys.
func pauseTargets(ctx context.Context, o contest.Options) (all []verdict) {
	_, undo, err := contest.OnAllCores(ctx, o)
	if err == nil {
		defer undo()
	}
	for _, c := range []struct{ name, bench string }{
		{"the longest insert into the store, 10,000,000 keys", "LongestInsert"},
		{"the longest that a snapshot holds a write up, 10,000,000 keys", "LongestSnapshot/throttles/10000000"},
	} {
		v := verdict{name: c.name, bound: 100, unit: asMicros, err: err}
		if err == nil {
			v.others, v.err = server.Observe(nil, func() (err error) {
				v.rounds, err = longest(ctx, c.bench)
				return err
			})
		}
		all = append(all, v)
	}
	return all
}

// longest returns the metric longest-µs of a micro-benchmark of the store.
func longest(ctx context.Context, name string) ([]float64, error) {
	found, err := goBench(ctx, "./store", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "1x", 1)
	if err == nil && len(found[name]["longest-µs"]) == 0 {
		err = errors.New("the benchmark reports no longest-µs")
	}
	return found[name]["longest-µs"], err
}

// idleTargets bound the memory of idle connections.
func idleTargets(ctx context.Context, o contest.Options) []verdict {
	v := verdict{name: "resident memory of an idle connection", bound: 8 << 10, unit: asBytes}
	o, err := withinOpenFiles(o)
	if err != nil {
		return failed(err, v)
	}
	before, after, err := connectAndWeigh(ctx, o, contest.Ours(o))
	if err != nil {
		return failed(err, v)
	}
	v.rounds = []float64{float64(after-before) / float64(o.Clients)}
	return []verdict{v}
}

// expiryTargets bound the effect of many keys that expire at once.
func expiryTargets(ctx context.Context, o contest.Options) []verdict {
	keys := report.Thousands(float64(o.Keys))
	moved := verdict{name: "p99 moves while " + keys + " keys expire within a second", bound: 2, unit: asMillis}
	back := verdict{name: "their memory is back", bound: 30, unit: asSeconds}
	var s storm
	others, err := server.Observe(nil, func() (err error) {
		s, err = expire(ctx, o, contest.Ours(o))
		return err
	})
	if err != nil {
		return failed(err, moved, back)
	}
	moved.rounds, back.rounds = []float64{report.InMs(s.during - s.before)}, []float64{s.secondsBack()}
	moved.others, back.others = others, others
	return []verdict{moved, back}
}

// newKeyTargets bound the keys that a server holds while its clients write new keys without end, and each key expires after a second.
func newKeyTargets(ctx context.Context, o contest.Options) []verdict {
	v := verdict{name: "keys held over keys alive, only new keys, P=64", bound: 4, unit: asTimes}
	v.others, v.err = server.Observe(nil, func() (err error) {
		v.rounds, err = heldOverAlive(ctx, o, contest.Ours(o))
		return err
	})
	return []verdict{v}
}

// coresTargets bound the rate of servers and clients that have all cores.
func coresTargets(ctx context.Context, o contest.Options) []verdict {
	contend := func(command string) contender {
		v := verdict{name: "rate of " + command + " over Redis's INCR, all cores, P=1", bound: 1, atLeast: true, unit: asTimes}
		return contender{v, ofOurs(o, command, load.Point{Pipeline: 1, Connections: 50})}
	}
	incr, throttle := contend(contest.Yardstick), contend("CL.THROTTLE")
	everywhere, undo, err := contest.OnAllCores(ctx, o)
	if err != nil {
		return failed(err, incr.verdict, throttle.verdict)
	}
	defer undo()
	return compared(ctx, everywhere, contest.ByRate, ofRedis(o, contest.Yardstick, load.Point{Pipeline: 1, Connections: 50}), incr, throttle)
}

// hotKeyTargets bound the cost of clients that share a key, over the wire and in a micro-benchmark.
func hotKeyTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, pipeline := range []int{1, 16} {
		v := verdict{name: fmt.Sprintf("time with 8 clients on one key over a key each, P=%d", pipeline), bound: 1.15, unit: asTimes}
		rows, err := hotKeyRows(ctx, o, pipeline)
		if err != nil {
			all = append(all, failed(err, v)...)
			continue
		}
		v.compare(rows[0], rows[1], contest.ByRate) // the time is the inverse of the rate
		all = append(all, v)
	}
	return append(all, hotKeyWithoutSockets(ctx, o)...)
}

// hotKeyWithoutSockets bounds the cost in sessions without sockets.
func hotKeyWithoutSockets(ctx context.Context, o contest.Options) (all []verdict) {
	_, undo, err := contest.OnAllCores(ctx, o)
	if err == nil {
		defer undo()
	}
	var found map[string]map[string][]float64
	others := 0.0
	if err == nil {
		others, err = server.Observe(nil, func() (err error) {
			found, err = goBench(ctx, "./server", "^BenchmarkThrottle8$", "0.3s", o.Repeats)
			return err
		})
	}
	for _, pipeline := range []int{1, 16} {
		v := verdict{name: fmt.Sprintf("the same without sockets, P=%d", pipeline), bound: 1.15, unit: asTimes, others: others, err: err}
		one, each := found[fmt.Sprintf("Throttle8/key/%d", pipeline)]["ns/command"], found[fmt.Sprintf("Throttle8/keys/%d", pipeline)]["ns/command"]
		if err == nil && (len(one) == 0 || len(one) != len(each)) {
			v.err = errors.New("the benchmark reports no ns/command")
		}
		for i := range min(len(one), len(each)) {
			v.rounds = append(v.rounds, one[i]/each[i])
		}
		all = append(all, v)
	}
	return all
}

// persistenceTargets bound the cost to log every change, to rewrite the log, and to load it.
func persistenceTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, c := range []struct {
		pipeline int
		bound    float64
	}{{1, 1.15}, {16, 1.25}} {
		v := verdict{name: fmt.Sprintf("CPU of CL.THROTTLE, appendfsync everysec over off, P=%d", c.pipeline), bound: c.bound, unit: asTimes}
		rows, err := policyRows(ctx, o, contest.Ours(o), load.Point{Pipeline: c.pipeline, Connections: 50}, "off", "everysec")
		if err != nil {
			all = append(all, failed(err, v)...)
			continue
		}
		v.compare(rows[1], rows[0], contest.ByCPU)
		all = append(all, v)
	}
	return append(all, keepTargets(ctx, o)...)
}

func keepTargets(ctx context.Context, o contest.Options) []verdict {
	o.Keys = min(o.Keys, 1_000_000)
	keys := report.Thousands(float64(o.Keys))
	cost := verdict{name: "CPU of rewriting the log, " + keys + " keys", bound: 0.3, unit: asSeconds}
	wait := verdict{name: "p99.9 meanwhile, less twice the quiet one", bound: 0.1, unit: asMillis}
	base := verdict{name: "loading a rewritten log, keys a second", bound: 2e6, atLeast: true, unit: asRate}
	log := verdict{name: "loading a log of commands, keys a second", bound: 2e6, atLeast: true, unit: asRate}
	found, err := keep(ctx, o, contest.Ours(o))
	if err != nil {
		return failed(err, cost, wait, base, log)
	}
	for _, c := range found.of(server.RewriteJob) {
		cost.rounds = append(cost.rounds, c.cpu)
		wait.rounds = append(wait.rounds, c.during-2*c.quiet)
		cost.others = max(cost.others, c.others)
	}
	wait.others = cost.others
	log.rounds, base.rounds = found.loads[0].rates(o.Keys), found.loads[1].rates(o.Keys)
	return []verdict{cost, wait, base, log}
}
