package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

const throughputNotes = `CPU is the server's processor time, user and system, for one command (of the sliding log: for one transaction of six
commands), and the steadiest of these numbers. × INCR is that time over Redis's for INCR with the same pipeline and
connections, × Redis over Redis's for the same command. Latencies are milliseconds of clients that always have a pipeline on
the way: redis-benchmark, which sends all but the transactions, counts until the first of its replies comes, and this bench
until the last. Every number is the median of its measurements, taken in turns; ± is how far apart the largest and the least
CPU were. Others is the most that other processes used of one core during any of them; above 10 % a measurement is taken again,
twice at most, and the least disturbed counts.`

// throughputSection makes the rows a table and plots.
func throughputSection(rows []row) section {
	inOrder(rows)
	t := table{numbers: 12, head: []string{"command", "server", "P", "clients", "per second", "CPU µs", "±",
		"× INCR", "× Redis", "p50", "p99", "p99.9", "max", "others"}}
	for _, r := range rows {
		t.add(r.workload, r.server, strconv.Itoa(r.pipeline), strconv.Itoa(r.connections), thousands(r.rate),
			fmt.Sprintf("%.2f", r.cpu), percent(r.spread),
			times(r.cpu, valueOf(rows, yardstick, redis, r.point, byCPU)), times(r.cpu, valueOf(rows, r.workload, redis, r.point, byCPU)),
			milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999), milliseconds(r.max), percent(r.others))
	}
	return section{
		id: "throughput", heading: "Throughput, latency and processor time", notes: throughputNotes, table: t,
		plots: []plot{
			pipelines(rows, caption{"performance-cpu.svg", "Server CPU per command, µs (50 connections)"}, byCPU),
			pipelines(rows, caption{"performance-rate.svg", "Commands per second on one core (50 connections)"}, byRate),
		},
	}
}

// pipelines plots a measure of the servers' main commands over the depth of the pipeline.
func pipelines(rows []row, c caption, measure func(sample) float64) plot {
	p := bars{caption: c}
	depths := []int{1, 16, 64}
	for _, depth := range depths {
		p.groups = append(p.groups, fmt.Sprintf("pipeline of %d", depth))
	}
	for _, s := range []struct{ workload, server string }{
		{yardstick, redis}, {yardstick, cellserver}, {"CL.THROTTLE", redisCell}, {"CL.THROTTLE", cellserver},
	} {
		series := barSeries{name: s.server + " " + s.workload}
		for _, depth := range depths {
			series.values = append(series.values, valueOf(rows, s.workload, s.server, point{depth, 50}, measure))
		}
		if !series.isEmpty() {
			p.series = append(p.series, series)
		}
	}
	return p
}

// byCommand plots a measure of each server, grouped by commands.
func byCommand(rows []row, c caption, measure func(sample) float64) plot {
	p := bars{caption: c}
	for _, r := range rows {
		if !slices.Contains(p.groups, r.workload) {
			p.groups = append(p.groups, r.workload)
		}
	}
	for _, server := range []string{redis, redisCell, cellserver} {
		series := barSeries{name: server}
		for _, workload := range p.groups {
			series.values = append(series.values, valueOf(rows, workload, server, rows[0].point, measure))
		}
		if !series.isEmpty() {
			p.series = append(p.series, series)
		}
	}
	return p
}

func find(rows []row, workload, server string, p point) *row {
	i := slices.IndexFunc(rows, func(r row) bool { return r.workload == workload && r.server == server && r.point == p })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// valueOf is a row's measure, NaN where there is no such row.
func valueOf(rows []row, workload, server string, p point, measure func(sample) float64) float64 {
	if r := find(rows, workload, server, p); r != nil {
		return measure(r.sample)
	}
	return math.NaN()
}

// times is a ratio as the table gives it, a dash where there is nothing to compare with.
func times(value, base float64) string {
	if math.IsNaN(base) {
		return "–"
	}
	return fmt.Sprintf("%.2f", value/base)
}

// percent is a part of one.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

func milliseconds(v float64) string { return fmt.Sprintf("%.2f", v) }

// thousands groups the digits of a whole number: 1,234,567.
func thousands(v float64) string {
	digits := strconv.FormatInt(int64(math.Round(v)), 10)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}
