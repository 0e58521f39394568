package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/report"
)

// check measures some targets. If it cannot measure a target, the verdict contains the error.
type check struct {
	name    string
	measure func(context.Context, contest.Options) []verdict
}

// checks are all targets, in the order of the report.
var checks = []check{
	{"cpu", cpuTargets},
	{"limiters", limiterTargets},
	{"keys", keyTargets},
	{"pauses", pauseTargets},
	{"idle", idleTargets},
	{"expiry", expiryTargets},
	{"cores", coresTargets},
	{"hotkey", hotKeyTargets},
	{"persistence", persistenceTargets},
}

// targets measures all targets and writes which of them are met.
func targets(ctx context.Context, o contest.Options) ([]report.Section, error) {
	begun := time.Now()
	var all []verdict
	for _, c := range checks {
		if !strings.Contains(c.name, o.Only) {
			continue
		}
		for _, v := range c.measure(ctx, o) {
			report.Say("%s", strings.Join(v.cells(), " | "))
			all = append(all, v)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return []report.Section{targetsSection(all, time.Since(begun))}, nil
}

// targetsSection makes a table of the verdicts.
func targetsSection(all []verdict, took time.Duration) report.Section {
	t := report.Table{Head: []string{"target", "bound", "measured", "rounds", "others", ""}}
	met := 0
	for _, v := range all {
		t.Add(v.cells()...)
		if v.met() {
			met++
		}
	}
	return report.Section{ID: "targets", Heading: "Targets", Table: t,
		Notes: fmt.Sprintf(`%d of %d targets are met; the measurements took %v. CPU is the server's processor time for a command, user and system, with 50
connections. The two sides of a ratio take turns. A ratio is the median of the rounds; rounds gives the least and the largest
one. Others is the largest part of one core that other processes used during a measurement. If it is above 10 %%, the bench
measures again, at most twice. A disturbed target stayed above 10 %%.`, met, len(all), took.Round(time.Second))}
}
