package main

import (
	"context"
	"fmt"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// memory measures the memory of a throttle key on each server.
func memory(ctx context.Context, o contest.Options) ([]report.Section, error) {
	t := report.Table{Numbers: 4, Head: []string{"server", "key", "keys", "empty, MB", "full, MB", "bytes a key"}}
	p := report.Bars{Name: "performance-memory.svg", Title: "Resident bytes per throttle key"}
	for _, k := range contest.Kinds(o) {
		before, after, err := fillAndWeigh(ctx, o, k, contest.ThrottleKey(k))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		each := float64(after-before) / float64(o.Keys)
		t.Add(k.Name, contest.ThrottleKey(k).What, report.Thousands(float64(o.Keys)), report.Megabytes(before), report.Megabytes(after), fmt.Sprintf("%.1f", each))
		p.Put(k.Name, report.Thousands(float64(o.Keys))+" keys", each)
		report.Say("%-10s %.1f bytes a key", k.Name, each)
	}
	return []report.Section{{
		ID: fmt.Sprintf("memory %d", o.Keys), Table: t, Plots: []report.Bars{p},
		Heading: "Memory per throttle key, " + report.Thousands(float64(o.Keys)) + " keys",
		Notes: `Resident memory after it has settled, minus the memory of the empty server. Keys
have 16 bytes. Redis without redis-cell holds the same value as with it: a string of 19 digits that expires.`,
	}}, nil
}

// fillAndWeigh returns a server's resident memory in bytes, without and with the keys.
func fillAndWeigh(ctx context.Context, o contest.Options, k server.Kind, key contest.KeyMaker) (before, after int64, err error) {
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return 0, 0, err
	}
	defer s.Stop()
	if before, err = s.Settled(ctx); err != nil {
		return 0, 0, err
	}
	if _, err := load.Drive(ctx, load.Filler(s.Addr, o.Keys, key.Request, key.Reply)); err != nil {
		return 0, 0, err
	}
	if err := s.Holds(o.Keys); err != nil {
		return 0, 0, err
	}
	after, err = s.Settled(ctx)
	return before, after, err
}
