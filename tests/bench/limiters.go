package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// limiters are the workloads of the limiters besides CL.THROTTLE; every call is allowed and writes.
func limiters() []workload {
	return []workload{
		{name: "CL.WINDOW", command: strings.Fields("CL.WINDOW key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{name: "CL.SLIDING", command: strings.Fields("CL.SLIDING key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{name: "CL.CHECK", command: strings.Fields("CL.CHECK two key:" + random), throttle: true,
			prepare: makeRule, answered: decides(allowed)},
		{name: "CL.LOG", script: logging, throttle: true, after: logIsFull},
	}
}

// makeRule makes the rule that CL.CHECK asks: two limits, both of the cheapest kind.
func makeRule(_ context.Context, s *server) error {
	_, err := s.do("CL.RULE", "SET", "two", "CL.THROTTLE", "1000000", "30", "60", "AND", "CL.THROTTLE", "1000000", "1000", "3600")
	return err
}

// logging is a connection's actions on a log of its own, which holds about logEntries at any time, however fast the
// server is: the period is the time since that many actions ago.
func logging(connection int) script {
	const limit, period = 1_000_000, 50 * time.Millisecond // the period until there were as many
	key, sent := name("log:", connection), make([]time.Time, logEntries)
	// What remains depends on how many the server has forgotten, and how many digits it has does not.
	reply := strings.Replace(decision(0, limit, 999_900, -1, 1), ":999900", ":??????", 1)
	return func(request, expected []byte, i int) ([]byte, []byte) {
		now, since := time.Now(), period
		if before := sent[i%logEntries]; !before.IsZero() {
			since = now.Sub(before)
		}
		sent[i%logEntries] = now
		seconds := strconv.FormatFloat(since.Seconds(), 'f', 9, 64)
		return command(request, "CL.LOG", key, strconv.Itoa(limit), seconds), append(expected, reply...)
	}
}

// logIsFull says whether a log holds about as many entries as it should.
func logIsFull(s *server) error {
	n, err := s.do("ZCARD", name("log:", 0))
	if err != nil {
		return err
	}
	if entries, ok := n.(int64); !ok || entries < logEntries/2 || entries > logEntries*2 {
		return fmt.Errorf("a log holds %v entries, not about %d", n, logEntries)
	}
	return nil
}

// besides measures the limiters, and what they are compared with.
func besides(ctx context.Context, o options) ([]section, error) {
	var rows []row
	for _, depth := range []int{1, 16, 64} {
		var sides []side
		for _, w := range append([]workload{workloadNamed("CL.THROTTLE"), workloadNamed(transaction)}, limiters()...) {
			sides = append(sides, side{ours(o), w, point{depth, 50}})
		}
		measured, err := contest(ctx, o, sides)
		if err != nil {
			return nil, err
		}
		rows = append(rows, measured...)
	}
	return []section{limitersSection(rows)}, nil
}

// limitersSection makes the rows a table and a plot.
func limitersSection(rows []row) section {
	inOrder(rows)
	t := table{numbers: 11, head: []string{"command", "P", "per second", "CPU µs", "±", "× CL.THROTTLE", "× transaction", "p50", "p99", "p99.9", "max", "others"}}
	p := bars{caption: caption{"performance-limiters.svg", "Server CPU per command, µs (50 connections)"}}
	for _, r := range rows {
		over := func(workload string) string {
			i := slices.IndexFunc(rows, func(other row) bool { return other.workload == workload && other.point == r.point })
			return fmt.Sprintf("%.2f", median(ratios(r, rows[i], byCPU)))
		}
		t.add(r.workload, strconv.Itoa(r.pipeline), thousands(r.rate), fmt.Sprintf("%.2f", r.cpu), percent(r.spread), over("CL.THROTTLE"), over(transaction),
			milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999), milliseconds(r.max), percent(r.others))
		if group := fmt.Sprintf("pipeline of %d", r.pipeline); !slices.Contains(p.groups, group) {
			p.groups = append(p.groups, group)
		}
		if n := len(p.series); n == 0 || p.series[n-1].name != r.workload {
			p.series = append(p.series, barSeries{name: r.workload})
		}
		last := &p.series[len(p.series)-1]
		last.values = append(last.values, r.cpu)
	}
	return section{id: "limiters", heading: "Other limiters", table: t, plots: []plot{p},
		notes: `All calls are allowed, and write; the keys are 100,000 random ones, but 50 for CL.LOG and the transaction that it replaces, whose
logs hold 100 entries at any time: each call forgets one and adds one. CL.CHECK asks a rule of two limits. × is the processor
time over that of CL.THROTTLE and of the transaction (of six commands): the median of the ratios, round by round. The rest is as
in the table of throughput.`}
}
