package load

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchmarked is a report of redis-benchmark 7.0, with its lines of progress.
const benchmarked = "CL.THROTTLE key: rps=0.0 (overall: 0.0)\r            \r====== CL.THROTTLE key:__rand_int__ 15 30 60 ======\n" +
	`  50000 requests completed in 0.32 seconds
  50 parallel clients

Latency by percentile distribution:
0.000% <= 0.031 milliseconds (cumulative count 6480)
50.000% <= 0.055 milliseconds (cumulative count 25648)
99.219% <= 58.783 milliseconds (cumulative count 49632)
99.805% <= 62.239 milliseconds (cumulative count 49936)
99.902% <= 62.271 milliseconds (cumulative count 49952)
99.951% <= 63.007 milliseconds (cumulative count 49984)
100.000% <= 63.039 milliseconds (cumulative count 50000)

Cumulative distribution of latencies:
57.376% <= 0.103 milliseconds (cumulative count 28688)
100.000% <= 63.103 milliseconds (cumulative count 50000)

Summary:
  throughput summary: 156250.00 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        4.808     0.024     0.055    22.335    58.559    63.039
`

func TestRedisBenchmarkReport(t *testing.T) {
	s, err := parseRedisBenchmark(benchmarked)
	require.NoError(t, err)
	require.Equal(t, Sample{Rate: 156250, P50: 0.055, P99: 58.559, P999: 62.271, Max: 63.039}, s)
}

func TestRedisBenchmarkReportThatLacksSomething(t *testing.T) {
	for lacking, missing := range map[string]string{
		"throughput summary:":                   "no throughput",
		"p99       max\n":                       "no latencies",
		"Latency by percentile distribution:\n": "no percentiles",
		"% <=":                                  "no latency for 99.9 %",
	} {
		_, err := parseRedisBenchmark(strings.ReplaceAll(benchmarked, lacking, ""))
		require.ErrorContains(t, err, missing)
	}
}
