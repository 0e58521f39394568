package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ofRedis is a workload on Redis, and ofOurs on cellserver.
func ofRedis(o options, workload string, p point) side {
	return side{kinds(o)[0], workloadNamed(workload), p}
}
func ofOurs(o options, workload string, p point) side {
	return side{ours(o), workloadNamed(workload), p}
}

// cpuTargets are about the processor time of commands.
func cpuTargets(ctx context.Context, o options) (all []verdict) {
	for _, c := range []struct {
		pipeline int
		bound    float64
	}{{1, 0.95}, {16, 0.75}, {64, 0.60}} {
		at := point{c.pipeline, 50}
		throttle := verdict{name: fmt.Sprintf("CPU of CL.THROTTLE over Redis's INCR, P=%d", c.pipeline), bound: c.bound, unit: asTimes}
		all = append(all, compared(ctx, o, byCPU, ofRedis(o, yardstick, at), contender{throttle, ofOurs(o, "CL.THROTTLE", at)})...)
	}
	for _, command := range []string{yardstick, "SET", "GET", "ZADD, a large set", transaction} {
		for _, pipeline := range []int{1, 16} {
			at := point{pipeline, 50}
			same := verdict{name: fmt.Sprintf("CPU of %s over Redis's, P=%d", command, pipeline), bound: 1, unit: asTimes}
			all = append(all, compared(ctx, o, byCPU, ofRedis(o, command, at), contender{same, ofOurs(o, command, at)})...)
		}
	}
	return all
}

// limiterTargets compare other limiters with CL.THROTTLE, and with what they replace.
func limiterTargets(ctx context.Context, o options) (all []verdict) {
	for _, pipeline := range []int{1, 16} {
		at := point{pipeline, 50}
		contend := func(command, over string, bound float64) contender {
			v := verdict{name: fmt.Sprintf("CPU of %s over %s, P=%d", command, over, pipeline), bound: bound, unit: asTimes}
			return contender{v, ofOurs(o, command, at)}
		}
		const throttle = "CL.THROTTLE"
		all = append(all, compared(ctx, o, byCPU, ofOurs(o, throttle, at),
			contend("CL.WINDOW", throttle, 1.15), contend("CL.SLIDING", throttle, 1.15), contend("CL.CHECK", throttle, 1.60))...)
		all = append(all, compared(ctx, o, byCPU, ofOurs(o, transaction, at), contend("CL.LOG", transaction, 0.35))...)
	}
	return all
}

// keyTargets are about what many keys take, of memory and of time.
func keyTargets(ctx context.Context, o options) []verdict {
	keys := thousands(float64(o.keys))
	size := verdict{name: "resident memory of a throttle key, " + keys + " keys of 16 bytes", bound: 48, unit: asBytes}
	slower := verdict{name: "p99.9 with " + keys + " keys over 100,000", bound: 1.2, unit: asTimes}
	// A p99.9 is made of a few rare moments: it takes many rounds.
	o.repeats *= 3
	found, err := scaleOf(ctx, o, ours(o))
	if err != nil {
		return failed(err, size, slower)
	}
	size.rounds = []float64{found.many.bytesPerKey()}
	slower.compare(found.manyRow, found.fewRow, byP999)
	return []verdict{size, slower}
}

// pauseTargets are about the longest that the store makes anyone wait, which micro-benchmarks measure: inserts on the way to
// ten million keys, and a snapshot of so many.
func pauseTargets(ctx context.Context, o options) (all []verdict) {
	_, undo, err := onAllCores(ctx, o)
	if err == nil {
		defer undo()
	}
	for _, c := range []struct{ name, bench string }{
		{"the longest insert into the store, 10,000,000 keys", "LongestInsert"},
		{"the longest that a snapshot holds a write up, 10,000,000 keys", "LongestSnapshot/throttles/10000000"},
	} {
		v := verdict{name: c.name, bound: 100, unit: asMicros, err: err}
		if err == nil {
			v.others, v.err = observe(nil, func() (err error) {
				v.rounds, err = longest(ctx, c.bench)
				return err
			})
		}
		all = append(all, v)
	}
	return all
}

// longest is what a micro-benchmark of the store reports as such.
func longest(ctx context.Context, name string) ([]float64, error) {
	found, err := goBench(ctx, "./store", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "1x", 1)
	if err == nil && len(found[name]["longest-µs"]) == 0 {
		err = errors.New("the benchmark reports no longest-µs")
	}
	return found[name]["longest-µs"], err
}

// idleTargets are about connections that say nothing.
func idleTargets(ctx context.Context, o options) []verdict {
	v := verdict{name: "resident memory of an idle connection", bound: 8 << 10, unit: asBytes}
	o, err := withinOpenFiles(o)
	if err != nil {
		return failed(err, v)
	}
	before, after, err := connectAndWeigh(ctx, o, ours(o))
	if err != nil {
		return failed(err, v)
	}
	v.rounds = []float64{float64(after-before) / float64(o.clients)}
	return []verdict{v}
}

// expiryTargets are about many keys that expire at once.
func expiryTargets(ctx context.Context, o options) []verdict {
	keys := thousands(float64(o.keys))
	moved := verdict{name: "p99 moves while " + keys + " keys expire within a second", bound: 2, unit: asMillis}
	back := verdict{name: "their memory is back", bound: 30, unit: asSeconds}
	var s storm
	others, err := observe(nil, func() (err error) {
		s, err = expire(ctx, o, ours(o))
		return err
	})
	if err != nil {
		return failed(err, moved, back)
	}
	moved.rounds, back.rounds = []float64{inMs(s.during - s.before)}, []float64{s.secondsBack()}
	moved.others, back.others = others, others
	return []verdict{moved, back}
}

// coresTargets are about servers and clients that have all cores.
func coresTargets(ctx context.Context, o options) []verdict {
	contend := func(command string) contender {
		v := verdict{name: "rate of " + command + " over Redis's INCR, all cores, P=1", bound: 1, atLeast: true, unit: asTimes}
		return contender{v, ofOurs(o, command, point{1, 50})}
	}
	incr, throttle := contend(yardstick), contend("CL.THROTTLE")
	everywhere, undo, err := onAllCores(ctx, o)
	if err != nil {
		return failed(err, incr.verdict, throttle.verdict)
	}
	defer undo()
	return compared(ctx, everywhere, byRate, ofRedis(o, yardstick, point{1, 50}), incr, throttle)
}

// hotKeyTargets are about clients that want the same key: over the wire, and by a micro-benchmark without.
func hotKeyTargets(ctx context.Context, o options) (all []verdict) {
	for _, pipeline := range []int{1, 16} {
		v := verdict{name: fmt.Sprintf("time with 8 clients on one key over a key each, P=%d", pipeline), bound: 1.15, unit: asTimes}
		rows, err := hotKeyRows(ctx, o, pipeline)
		if err != nil {
			all = append(all, failed(err, v)...)
			continue
		}
		v.compare(rows[0], rows[1], byRate) // the time is the inverse of the rate
		all = append(all, v)
	}
	return append(all, hotKeyWithoutSockets(ctx, o)...)
}

// hotKeyWithoutSockets is about sessions alone.
func hotKeyWithoutSockets(ctx context.Context, o options) (all []verdict) {
	_, undo, err := onAllCores(ctx, o)
	if err == nil {
		defer undo()
	}
	var found map[string]map[string][]float64
	others := 0.0
	if err == nil {
		others, err = observe(nil, func() (err error) {
			found, err = goBench(ctx, "./commands", "^BenchmarkThrottle8$", "0.3s", o.repeats)
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

// persistenceTargets are about logging every change, rewriting the log, and loading it.
func persistenceTargets(ctx context.Context, o options) (all []verdict) {
	for _, c := range []struct {
		pipeline int
		bound    float64
	}{{1, 1.15}, {16, 1.25}} {
		v := verdict{name: fmt.Sprintf("CPU of CL.THROTTLE, appendfsync everysec over off, P=%d", c.pipeline), bound: c.bound, unit: asTimes}
		rows, err := policyRows(ctx, o, ours(o), point{c.pipeline, 50}, "off", "everysec")
		if err != nil {
			all = append(all, failed(err, v)...)
			continue
		}
		v.compare(rows[1], rows[0], byCPU)
		all = append(all, v)
	}
	return append(all, keepTargets(ctx, o)...)
}

func keepTargets(ctx context.Context, o options) []verdict {
	o.keys = min(o.keys, 1_000_000)
	keys := thousands(float64(o.keys))
	cost := verdict{name: "CPU of rewriting the log, " + keys + " keys", bound: 0.3, unit: asSeconds}
	wait := verdict{name: "p99.9 meanwhile, less twice the quiet one", bound: 0.1, unit: asMillis}
	base := verdict{name: "loading a rewritten log, keys a second", bound: 2e6, atLeast: true, unit: asRate}
	log := verdict{name: "loading a log of commands, keys a second", bound: 2e6, atLeast: true, unit: asRate}
	found, err := keep(ctx, o, ours(o))
	if err != nil {
		return failed(err, cost, wait, base, log)
	}
	for _, c := range found.of(rewriteJob) {
		cost.rounds = append(cost.rounds, c.cpu)
		wait.rounds = append(wait.rounds, c.during-2*c.quiet)
		cost.others = max(cost.others, c.others)
	}
	wait.others = cost.others
	log.rounds, base.rounds = found.loads[0].rates(o.keys), found.loads[1].rates(o.keys)
	return []verdict{cost, wait, base, log}
}
