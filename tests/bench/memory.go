package main

import (
	"context"
	"fmt"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// memory measures the memory of a throttle key on each server, and that of sorted sets of several sizes.
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
	logs := report.Table{Numbers: 4, Head: []string{"members", "keys", "Redis", "cellserver", "× Redis"}}
	for _, members := range []int{1, 3, 16, 100} {
		if err := weighLogs(ctx, o, &logs, members); err != nil {
			return nil, err
		}
	}
	return []report.Section{{
		ID: "memory of sets", Heading: "Memory per sorted set", Table: logs,
		Notes: `
Resident bytes of a key, as below. A member is a time in milliseconds, and its score is the same time, as
in the sliding log of most libraries.`,
	}, {
		ID: fmt.Sprintf("memory %d", o.Keys), Table: t, Plots: []report.Bars{p},
		Heading: "Memory per throttle key, " + report.Thousands(float64(o.Keys)) + " keys",
		Notes: `Resident memory after it has settled, minus the memory of the empty server. Keys
have 16 bytes. Redis without redis-cell holds the same value as with it: a string of 19 digits that expires.`,
	}}, nil
}

// weighLogs measures the memory of sorted sets of so many members.
func weighLogs(ctx context.Context, o contest.Options, t *report.Table, members int) error {
	var each []float64
	o.Keys = max(o.Keys/max(members/4, 1), 1)
	for _, k := range []server.Kind{contest.Kinds(o)[0], contest.Ours(o)} {
		before, after, err := fillAndWeigh(ctx, o, k, contest.LogKey(members))
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		each = append(each, float64(after-before)/float64(o.Keys))
	}
	t.Add(fmt.Sprint(members), report.Thousands(float64(o.Keys)), fmt.Sprintf("%.0f", each[0]),
		fmt.Sprintf("%.0f", each[1]), fmt.Sprintf("%.2f", each[1]/each[0]))
	report.Say("%d members: %.0f, Redis %.0f bytes a key", members, each[1], each[0])
	return nil
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
