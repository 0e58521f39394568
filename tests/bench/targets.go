package main

import (
	"context"
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
	{"budgets", budgetTargets},
	{"keys", keyTargets},
	{"pauses", pauseTargets},
	{"idle", idleTargets},
	{"expiry", expiryTargets},
	{"newkeys", newKeyTargets},
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
