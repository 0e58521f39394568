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
	logs := new(fullLogs)
	return []workload{
		{name: "CL.WINDOW", command: strings.Fields("CL.WINDOW key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{name: "CL.SLIDING", command: strings.Fields("CL.SLIDING key:" + random + " 1000000 60"), throttle: true, answered: decides(allowed)},
		{name: "CL.CHECK", command: strings.Fields("CL.CHECK two key:" + random), throttle: true,
			prepare: makeRule, answered: decides(allowed)},
		{name: "CL.LOG", script: logs.script, throttle: true, heard: logs.hear, after: logs.check},
	}
}

// makeRule makes the rule that CL.CHECK asks: two limits, both of the cheapest kind.
func makeRule(_ context.Context, s *server) error {
	_, err := s.do("CL.RULE", "SET", "two", "CL.THROTTLE", "1000000", "30", "60", "AND", "CL.THROTTLE", "1000000", "1000", "3600")
	return err
}

// fullLogs are logs that hold about logEntries at any time, however fast the server is: one for each connection, whose
// actions it follows.
type fullLogs [logs]struct {
	sent             [logEntries]time.Time // the last actions
	holds            int64                 // entries, by the last reply
	replies, entries int64                 // how many replies told of how many entries altogether
}

// What a log allows is far more than it holds. Of the reply the digits of what remains depend on how many entries the
// server has forgotten; how many digits there are does not.
const logLimit = 1_000_000

var oneLogged = strings.Replace(decision(0, logLimit, 999_900, -1, 1), ":999900", ":??????", 1)

// script is a connection's actions. The period is the time since logEntries actions ago, once there are as many: when
// the server was late for once, it has forgotten more than that, and forgets nothing until there are as many again.
func (l *fullLogs) script(connection int) script {
	const whole = 500 * time.Millisecond // in which nothing is forgotten
	key, log := name("log:", connection), &l[connection]
	return func(request, expected []byte, i int) ([]byte, []byte) {
		now, before, period := time.Now(), &log.sent[i%logEntries], whole
		if log.holds >= logEntries {
			period = min(now.Sub(*before), whole)
		}
		*before = now
		seconds := strconv.FormatFloat(period.Seconds(), 'f', 9, 64)
		return command(request, "CL.LOG", key, strconv.Itoa(logLimit), seconds), append(expected, oneLogged...)
	}
}

// hear learns from the last of a pipeline's replies how many entries the log holds.
func (l *fullLogs) hear(connection int, replies []byte) {
	at := len(replies) - len(oneLogged) + strings.IndexByte(oneLogged, '?')
	remaining, _ := strconv.ParseInt(string(replies[at:at+len("??????")]), 10, 64) // it matched: these are digits
	log := &l[connection]
	log.holds = logLimit - remaining
	log.replies++
	log.entries += log.holds
}

// check says whether the logs held about as many entries as they should, and begins anew. Afterwards, the server could
// not tell: a log is gone a period after its last entry.
func (l *fullLogs) check() error {
	replies, entries := int64(0), int64(0)
	for i := range l {
		log := &l[i]
		replies, entries = replies+log.replies, entries+log.entries
		log.replies, log.entries = 0, 0
	}
	if mean := float64(entries) / float64(max(replies, 1)); mean < logEntries/2 || mean > logEntries*2 {
		return fmt.Errorf("a log holds %.0f entries, not about %d", mean, logEntries)
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
