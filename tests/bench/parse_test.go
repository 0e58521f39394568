package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// benchmarked is a report as redis-benchmark 7.0 writes it, with progress that is written over.
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
	require.Equal(t, sample{rate: 156250, p50: 0.055, p99: 58.559, p999: 62.271, max: 63.039}, s)
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

func TestInfoField(t *testing.T) {
	info := "# Stats\r\ntotal_connections_received:2\r\ntotal_commands_processed:345\r\ntotal_error_replies:many\r\n"
	n, err := infoField(info, "total_commands_processed")
	require.NoError(t, err)
	require.Equal(t, int64(345), n)
	_, err = infoField(info, "total_error_replies")
	require.ErrorContains(t, err, "many")
	_, err = infoField(info, "total_commands")
	require.ErrorContains(t, err, "lacks total_commands")
}

func TestResident(t *testing.T) {
	n, err := parseResident("Name:\tx\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n")
	require.NoError(t, err)
	require.Equal(t, int64(10<<20), n)
	_, err = parseResident("Name:\tx\n")
	require.Error(t, err)
}

func TestProcesses(t *testing.T) {
	used, kernel, err := parseProcess("42 (a) b (c) S 7 42 42 0 -1 4194304 1 2 3 4 250 50 30 20 20 0 1 0 5 6 7 8\n")
	require.NoError(t, err)
	require.False(t, kernel)
	require.Equal(t, processTime{own: 3 * time.Second, children: 500 * time.Millisecond}, used)
	_, kernel, err = parseProcess("99 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 20 0 1 0 5 6 7 8\n")
	require.NoError(t, err)
	require.True(t, kernel)
	_, _, err = parseProcess("42 (x) S 7\n")
	require.Error(t, err)
	_, _, err = parseProcess("42 (x) S 7 42 42 0 -1 4194304 1 2 3 4 many 50 30 20 20 0 1 0 5 6 7 8\n")
	require.Error(t, err)

	steal, err := parseSteal("cpu  1 2 3 4 5 6 7 850 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n")
	require.NoError(t, err)
	require.Equal(t, 8500*time.Millisecond, steal)
	_, err = parseSteal("intr 1\n")
	require.Error(t, err)
}

func TestMachine(t *testing.T) {
	require.Equal(t, "Some CPU @ 2.50GHz", cpuModel("processor\t: 0\nmodel name\t: Some  CPU @ 2.50GHz\nprocessor\t: 1\nmodel name\t: Other\n"))
	require.Contains(t, cpuModel("processor\t: 0\n"), "processor")
	require.Equal(t, "7.0.15", redisVersion("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64\n"))
}

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"memory", "--keys", "10", "--write"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "memory", o.mode)
	require.Equal(t, 10, o.keys)
	require.True(t, o.write)
	o.redisCell = "/somewhere/libredis_cell.so"
	require.Equal(t, "REDIS_CELL=libredis_cell.so tests/bench/run memory --keys 10", commandLine([]string{"memory", "--keys", "10"}, o))
	for _, m := range modes {
		o, err := parseOptions([]string{m.name}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, m.keys, o.keys)
		require.Equal(t, m.seconds, o.seconds)
	}
	for _, args := range [][]string{{}, {"fast"}, {"quick", "more"}, {"quick", "--repeats", "0"}, {"quick", "--nonsense"}, {"--help"}, {"idle", "--help"}} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, "%q", args)
	}
}

func TestMedians(t *testing.T) {
	require.Equal(t, 2.0, median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, median([]float64{4, 1, 2, 3}))
	m, spread := middle([]sample{{rate: 1, cpu: 4, max: 9, others: 0.2}, {rate: 5, cpu: 5, max: 7}, {rate: 3, cpu: 3, max: 8}})
	require.Equal(t, sample{rate: 3, cpu: 4, max: 8, others: 0.2}, m)
	require.Equal(t, 0.5, spread)
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	var turns []int
	takes := make([]func() (sample, error), 2)
	for i := range takes {
		takes[i] = func() (sample, error) {
			turns = append(turns, i)
			// Each round the machine is slower, and the second takes twice as much as the first.
			return sample{cpu: float64((len(turns) + 1) / 2 * (i + 1))}, nil
		}
	}
	samples, err := alternate(3, takes)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0, 1, 0, 1}, turns)
	first, second := newRow(side{}, samples[0]), newRow(side{}, samples[1])
	require.Equal(t, []float64{2, 2, 2}, ratios(second, first, byCPU))
	takes[1] = func() (sample, error) { return sample{}, io.ErrUnexpectedEOF }
	_, err = alternate(3, takes)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestPercentile(t *testing.T) {
	var all []timing
	for i := range 1000 {
		all = append(all, timing{took: time.Duration(1000 - i)})
	}
	require.Equal(t, time.Duration(500), percentile(all, 0.5))
	require.Equal(t, time.Duration(999), percentile(all, 0.999))
	require.Equal(t, time.Duration(1000), percentile(all, 1))
	require.Equal(t, time.Duration(7), percentile([]timing{{took: 7}}, 0.5))
	require.Zero(t, percentile(nil, 0.5))
}

func TestServed(t *testing.T) {
	before := counters{commands: 100, errors: 1}
	require.NoError(t, served(before, counters{commands: 160, errors: 1}, 50))
	require.ErrorContains(t, served(before, counters{commands: 160, errors: 2}, 50), "error")
	require.ErrorContains(t, served(before, counters{commands: 149, errors: 1}, 50), "only 49")
}

func TestRecovered(t *testing.T) {
	course := lineSeries{x: []float64{-1, 0, 1, 2, 3, 4}, y: []float64{10, 110, 15, 60, 20, 18}}
	least, back := recovered(course, 10e6, 110e6)
	require.Equal(t, int64(15e6), least)
	require.Equal(t, 3.0, back, "the dip at 1 did not last")
	_, back = recovered(lineSeries{x: []float64{0, 1}, y: []float64{110, 30}}, 10e6, 110e6)
	require.Zero(t, back)
}

func TestCurveOfWindows(t *testing.T) {
	c := curve("x", []timing{{at: -calm, took: time.Millisecond}, {at: -calm + window/2, took: 3 * time.Millisecond}, {at: 0, took: 5 * time.Millisecond}})
	require.Equal(t, lineSeries{"x", []float64{-2, 0}, []float64{3, 5}}, c)
	require.Len(t, within([]timing{{at: -1}, {at: 0}, {at: 1}, {at: 2}}, 0, 2), 2)
}
