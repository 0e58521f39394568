package load

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
)

// RedisBenchmark runs redis-benchmark on this program's cores and returns its results, without the server's
// processor time. Its latencies end with the first reply of a pipeline.
func RedisBenchmark(ctx context.Context, addr string, p Point, requests, keys int, command []string) (Sample, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return Sample{}, err
	}
	args := append([]string{"-h", host, "-p", port, "-c", strconv.Itoa(p.Connections), "-P", strconv.Itoa(p.Pipeline),
		"-n", strconv.Itoa(requests), "-r", strconv.Itoa(keys), "--precision", "3"}, command...)
	out, err := exec.CommandContext(ctx, "redis-benchmark", args...).CombinedOutput()
	if err != nil {
		return Sample{}, fmt.Errorf("redis-benchmark: %w: %.300q", err, out)
	}
	return parseRedisBenchmark(string(out))
}

// parseRedisBenchmark reads the report of redis-benchmark 7, because its CSV lacks p99.9. p99.9 is the first
// line of the distribution that reaches 99.9 %, such as 99.902 %. Carriage returns separate the lines of
// progress.
func parseRedisBenchmark(report string) (s Sample, err error) {
	report = strings.ReplaceAll(report, "\r", "\n")
	if s.P999, err = reaching(report, 99.9); err != nil {
		return s, err
	}
	summary, found := after(report, "throughput summary:")
	if _, err := fmt.Sscanf(summary, "%f requests per second", &s.Rate); !found || err != nil {
		return s, fmt.Errorf("redis-benchmark gives no throughput: %.300q", report)
	}
	var avg, least, p95 float64
	latencies, found := after(report, "p99       max\n")
	if _, err := fmt.Sscan(latencies, &avg, &least, &s.P50, &p95, &s.P99, &s.Max); !found || err != nil {
		return s, fmt.Errorf("redis-benchmark gives no latencies: %.300q", report)
	}
	return s, nil
}

// after returns the text behind the last mark.
func after(text, mark string) (string, bool) {
	at := strings.LastIndex(text, mark)
	return text[max(0, at+len(mark)):], at >= 0
}

// reaching returns the latency, in milliseconds, of the first line of the distribution that covers the
// percentage.
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
