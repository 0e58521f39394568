package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// typeRounds is the least number of rounds of the mode types.
const typeRounds = 5

// types measures scripts, hashes, sets and lists beside Redis, with the log on.
func types(ctx context.Context, o contest.Options) ([]report.Section, error) {
	o.Repeats = max(o.Repeats, typeRounds)
	var all []verdict
	for _, measure := range []func(context.Context, contest.Options) []verdict{scriptTargets, typeTargets, typeTargetsOnAllCores, typeMemoryTargets} {
		for _, v := range measure(ctx, o) {
			report.Say("%s", strings.Join(v.cells(), " | "))
			all = append(all, v)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	t, met := verdictTable(all)
	return []report.Section{{ID: "types", Heading: "Scripts, hashes, sets and lists", Table: t,
		Notes: fmt.Sprintf(`%d of %d targets are met. Both servers log every change (--appendonly yes, appendfsync everysec). Each script makes
the same calls as the script of its library; its text is in script/scripttest. The native command is CL.THROTTLE, on cellserver.
Hashes, sets and lists have three members before the load. One hash, one set and one list have 100,000 members or more. LPOP and
RPOP find lists of 100 elements. The columns are those of the table of targets.`, met, len(all))}}, nil
}

// loggingSide is a workload on a server that logs every change.
func loggingSide(k server.Kind, w contest.Workload, p load.Point) contest.Side {
	k.Keeps = logged("everysec")
	return contest.Side{Kind: k, Workload: w, Point: p}
}

// depths are the pipelines of the mode types.
func depths() []load.Point {
	return []load.Point{{Pipeline: 1, Connections: 50}, {Pipeline: 16, Connections: 50}}
}

// scriptTargets compare scripts with Redis's, and the native limiter with the scripts.
func scriptTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, p := range depths() {
		for _, w := range selected(contest.Scripts(), o) {
			script := verdict{name: fmt.Sprintf("CPU of the script of %s over Redis's, P=%d", w.Name, p.Pipeline), bound: 1, unit: asTimes}
			native := verdict{name: fmt.Sprintf("CPU of the native command over the script of %s, P=%d", w.Name, p.Pipeline), bound: 0.25, unit: asTimes}
			onRedis := verdict{name: fmt.Sprintf("CPU of the native command over the script of %s on Redis, P=%d", w.Name, p.Pipeline), bound: 0.25, unit: asTimes}
			rows, err := contest.Run(ctx, o, []contest.Side{
				loggingSide(contest.Kinds(o)[0], w, p), loggingSide(contest.Ours(o), w, p), loggingSide(contest.Ours(o), contest.Native(), p),
			})
			if err != nil {
				all = append(all, failed(err, script, native, onRedis)...)
				continue
			}
			script.compare(rows[1], rows[0], contest.ByCPU)
			native.compare(rows[2], rows[1], contest.ByCPU)
			onRedis.compare(rows[2], rows[0], contest.ByCPU)
			all = append(all, script, native, onRedis)
		}
	}
	return all
}

// selected returns the workloads whose names contain Only.
func selected(all []contest.Workload, o contest.Options) []contest.Workload {
	return slices.DeleteFunc(all, func(w contest.Workload) bool { return !strings.Contains(w.Name, o.Only) })
}

// mainCommands have the lower bound in pipelines.
var mainCommands = []string{"HSET", "HGET", "SADD", "LPUSH"}

// typeTargets compare the commands of hashes, sets and lists with Redis's.
func typeTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, p := range depths() {
		for _, w := range selected(contest.Types(), o) {
			all = append(all, typeTarget(ctx, o, w, p, ""))
		}
	}
	return all
}

func typeTarget(ctx context.Context, o contest.Options, w contest.Workload, p load.Point, where string) verdict {
	v := verdict{name: fmt.Sprintf("CPU of %s over Redis's, P=%d%s", w.Name, p.Pipeline, where), bound: 1, unit: asTimes}
	if p.Pipeline > 1 && slices.Contains(mainCommands, w.Name) {
		v.bound = 0.8
	}
	return compared(ctx, o, contest.ByCPU, loggingSide(contest.Kinds(o)[0], w, p), contender{v, loggingSide(contest.Ours(o), w, p)})[0]
}

// typeTargetsOnAllCores compare the main commands where servers and clients have all cores.
func typeTargetsOnAllCores(ctx context.Context, o contest.Options) (all []verdict) {
	everywhere, undo, err := contest.OnAllCores(ctx, o)
	if err != nil {
		return failed(err, verdict{name: "all cores", bound: 0.8, unit: asTimes})
	}
	defer undo()
	for _, w := range selected(contest.Types(), o) {
		if slices.Contains(mainCommands, w.Name) {
			all = append(all, typeTarget(ctx, everywhere, w, load.Point{Pipeline: 16, Connections: 50}, ", all cores"))
		}
	}
	return all
}

// typeMemoryTargets compare the memory of small values with Redis's. Neither server logs.
func typeMemoryTargets(ctx context.Context, o contest.Options) (all []verdict) {
	for _, small := range []contest.Small{contest.Hashes, contest.Lists, contest.Sets, contest.Integers} {
		v := verdict{name: fmt.Sprintf("memory of %s %s over Redis's", report.Thousands(float64(o.Keys)), small.Name), bound: 1, unit: asTimes}
		if !strings.Contains(v.name, o.Only) {
			continue
		}
		var each []float64
		for _, k := range contest.Peers(o) {
			before, after, err := fillAndWeigh(ctx, o, k, small.Key())
			if err != nil {
				v.err = fmt.Errorf("%s: %w", k.Name, err)
				break
			}
			each = append(each, float64(after-before)/float64(o.Keys))
			report.Say("%-26s %-10s %.1f bytes a key", small.Name, k.Name, each[len(each)-1])
		}
		if v.err == nil {
			v.rounds = []float64{each[1] / each[0]}
		}
		all = append(all, v)
	}
	return all
}
