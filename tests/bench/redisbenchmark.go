package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
)

// sample is one measurement: of a command, or of a transaction.
type sample struct {
	rate                float64 // a second
	cpu                 float64 // of the server, µs each
	p50, p99, p999, max float64 // milliseconds
	others              float64 // the part of a core that other processes used meanwhile
}

// redisBenchmark runs redis-benchmark, where this program may run, and returns what it saw; it knows nothing of the
// server's processor time. Its latencies are from sending a pipeline to the first of its replies.
func redisBenchmark(ctx context.Context, addr string, p point, requests int, w workload) (sample, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return sample{}, err
	}
	args := append([]string{"-h", host, "-p", port, "-c", strconv.Itoa(p.connections), "-P", strconv.Itoa(p.pipeline),
		"-n", strconv.Itoa(requests), "-r", strconv.Itoa(cmp.Or(w.keys, keyspace)), "--precision", "3"}, w.command...)
	out, err := exec.CommandContext(ctx, "redis-benchmark", args...).CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("redis-benchmark: %w: %.300q", err, out)
	}
	return parseRedisBenchmark(string(out))
}

// parseRedisBenchmark reads the report of redis-benchmark 7: its CSV would lack p99.9, which is the first line of the
// distribution that reaches so far (99.902 %). Progress is written over with carriage returns.
func parseRedisBenchmark(report string) (s sample, err error) {
	report = strings.ReplaceAll(report, "\r", "\n")
	if s.p999, err = reaching(report, 99.9); err != nil {
		return s, err
	}
	summary, found := after(report, "throughput summary:")
	if _, err := fmt.Sscanf(summary, "%f requests per second", &s.rate); !found || err != nil {
		return s, fmt.Errorf("redis-benchmark gives no throughput: %.300q", report)
	}
	var avg, least, p95 float64
	latencies, found := after(report, "p99       max\n")
	if _, err := fmt.Sscan(latencies, &avg, &least, &s.p50, &p95, &s.p99, &s.max); !found || err != nil {
		return s, fmt.Errorf("redis-benchmark gives no latencies: %.300q", report)
	}
	return s, nil
}

// after is the text behind the last mark.
func after(text, mark string) (string, bool) {
	at := strings.LastIndex(text, mark)
	return text[max(0, at+len(mark)):], at >= 0
}

// reaching is the latency, in milliseconds, of the first line of the percentile distribution that covers so many percent.
func reaching(report string, percent float64) (float64, error) {
	distribution, found := after(report, "Latency by percentile distribution:\n")
	if !found {
		return 0, fmt.Errorf("redis-benchmark gives no percentiles: %.300q", report)
	}
	for line := range strings.Lines(distribution) {
		var covered, ms float64
		if n, _ := fmt.Sscanf(line, "%f%% <= %f milliseconds", &covered, &ms); n == 2 && covered >= percent {
			return ms, nil
		}
	}
	return 0, fmt.Errorf("redis-benchmark gives no latency for %v %%: %.300q", percent, report)
}
