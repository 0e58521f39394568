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
	p := report.Bars{Caption: report.Caption{Name: "performance-memory.svg", Text: "Resident bytes per throttle key"}, Groups: []string{report.Thousands(float64(o.Keys)) + " keys"}}
	for _, k := range contest.Kinds(o) {
		before, after, err := fillAndWeigh(ctx, o, k, contest.ThrottleKey(k))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		each := float64(after-before) / float64(o.Keys)
		t.Add(k.Name, contest.ThrottleKey(k).What, report.Thousands(float64(o.Keys)), report.Megabytes(before), report.Megabytes(after), fmt.Sprintf("%.1f", each))
		p.Series = append(p.Series, report.BarSeries{Name: k.Name, Values: []float64{each}})
		report.Say("%-10s %.1f bytes a key", k.Name, each)
	}
	return []report.Section{{
		ID: fmt.Sprintf("memory %d", o.Keys), Heading: "Memory per throttle key, " + report.Thousands(float64(o.Keys)) + " keys", Table: t, Plots: []report.Plot{p},
		Notes: "Resident memory after it has settled, minus the memory of the empty server. Keys have 16 bytes. Redis without\nredis-cell holds the same value as with redis-cell: a string of 19 digits that expires.",
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

// idle measures the memory of an idle connection on each server. Each connection sends one PING first.
func idle(ctx context.Context, o contest.Options) ([]report.Section, error) {
	o, err := withinOpenFiles(o)
	if err != nil {
		return nil, err
	}
	t := report.Table{Numbers: 4, Head: []string{"server", "connections", "without, MB", "with, MB", "bytes a connection"}}
	for _, k := range contest.Peers(o) {
		before, after, err := connectAndWeigh(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		each := float64(after-before) / float64(o.Clients)
		t.Add(k.Name, report.Thousands(float64(o.Clients)), report.Megabytes(before), report.Megabytes(after), report.Thousands(each))
		report.Say("%-10s %.0f bytes a connection", k.Name, each)
	}
	return []report.Section{{ID: "idle", Heading: "Memory per idle connection", Table: t,
		Notes: "Resident memory after it has settled, minus the memory without connections. Every connection has sent one PING."}}, nil
}

// withinOpenFiles lowers the number of clients to the number of files that this program may open.
func withinOpenFiles(o contest.Options) (contest.Options, error) {
	limit, err := server.OpenFiles()
	if err != nil {
		return o, err
	}
	if room := limit - 1100; o.Clients > room {
		report.Say("the limit of open files (ulimit -n %d) allows %d connections, not %d", limit, room, o.Clients)
		o.Clients = room
	}
	if o.Clients < 1 {
		return o, fmt.Errorf("the limit of open files is %d: raise it (ulimit -n)", limit)
	}
	return o, nil
}

// connectAndWeigh returns a server's resident memory in bytes, without and with the connections.
func connectAndWeigh(ctx context.Context, o contest.Options, k server.Kind) (before, after int64, err error) {
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return 0, 0, err
	}
	defer s.Stop()
	if before, err = s.Settled(ctx); err != nil {
		return 0, 0, err
	}
	for range o.Clients {
		c, err := server.Dial(s.Addr)
		if err != nil {
			return 0, 0, err
		}
		defer c.Close()
		if _, err := c.Do("PING"); err != nil {
			return 0, 0, err
		}
	}
	after, err = s.Settled(ctx)
	return before, after, err
}
