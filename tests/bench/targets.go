package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// check measures some targets. One that it cannot measure, it returns with what stands in the way.
type check struct {
	name    string
	measure func(context.Context, options) []verdict
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

// targets measures what there are targets for, and says which are met.
func targets(ctx context.Context, o options) ([]section, error) {
	begun := time.Now()
	var all []verdict
	for _, c := range checks {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		for _, v := range c.measure(ctx, o) {
			say("%s", strings.Join(v.cells(), " | "))
			all = append(all, v)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return []section{targetsSection(all, time.Since(begun))}, nil
}

// targetsSection makes verdicts a table.
func targetsSection(all []verdict, took time.Duration) section {
	t := table{head: []string{"target", "bound", "measured", "rounds", "others", ""}}
	met := 0
	for _, v := range all {
		t.add(v.cells()...)
		if v.met() {
			met++
		}
	}
	return section{id: "targets", heading: "Targets", table: t,
		notes: fmt.Sprintf(`%d of %d targets are met; the measurements took %v. CPU is the server's processor time for a command, user and system, with 50
connections. What is compared is measured in turn: a ratio is the median of those of the rounds, of which the least and the
largest are given. Others is the most that other processes used of one core meanwhile: above 10 %% a ratio's measurement is taken
again, twice at most, and what is called disturbed stayed so.`, met, len(all), took.Round(time.Second))}
}
