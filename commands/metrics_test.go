package commands

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// samples reads an exposition as Prometheus does, and requires that it is one: families
// with help and type, each once and in one piece, no sample twice, numbers that are.
func samples(t *testing.T, text string) map[string]float64 {
	t.Helper()
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:,?[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")+\})? (\S+)$`)
	all, kinds, family := map[string]float64{}, map[string]string{}, ""
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(help, " ")
			require.NotContains(t, kinds, family, "a family stands twice")
			continue
		}
		if kind, ok := strings.CutPrefix(line, "# TYPE "+family+" "); ok {
			require.Contains(t, []string{"counter", "gauge", "histogram"}, kind)
			kinds[family] = kind
			continue
		}
		m := sample.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		name := m[1]
		if kinds[family] == "histogram" {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		require.Equal(t, family, name)
		require.Equal(t, kinds[family] == "counter", strings.HasSuffix(name, "_total"), name)
		value, err := strconv.ParseFloat(m[3], 64)
		require.NoError(t, err, line)
		require.NotContains(t, all, m[1]+m[2])
		all[m[1]+m[2]] = value
	}
	return all
}

func TestMetrics(t *testing.T) {
	h := newHarness(t, "--maxmemory", "1gb")
	h.server.process.Usage = func() Usage { return Usage{Resident: 1 << 20, User: 1500 * time.Millisecond, Input: 12} }
	h.do("SET a 1 EX 1")
	h.do("GET a")
	h.do("GET b")
	h.do("INCR")
	h.do("INCR a b")
	h.do("ZADD a 1 b")
	for range 3 {
		h.do("CL.THROTTLE user 0 1 60")
	}
	h.do("CL.PROBE user 0 1 60")
	h.do("SELECT 4")
	h.do("SET c 1")
	h.advance(2 * time.Second)
	got := samples(t, h.server.Metrics())
	for sample, want := range map[string]float64{
		`info{version="` + Version + `",mode="standalone",run_id="` + runID + `"}`: 1,
		`uptime_seconds`:                                           2,
		`cpu_seconds_total{mode="user"}`:                           1.5,
		`network_bytes_total{direction="in"}`:                      12,
		`clients`:                                                  1,
		`connections_total`:                                        1,
		`memory_max_bytes`:                                         1 << 30,
		`memory_resident_bytes`:                                    1 << 20,
		`keys{db="0"}`:                                             2,
		`keys_expiring{db="0"}`:                                    2,
		`keys{db="4"}`:                                             1,
		`keyspace_hits_total`:                                      2,
		`keyspace_misses_total`:                                    1,
		`changes_since_save`:                                       3,
		`commands_total{command="set",outcome="ok"}`:               2,
		`commands_total{command="zadd",outcome="failed"}`:          1,
		`commands_total{command="zadd",outcome="ok"}`:              0,
		`commands_total{command="incr",outcome="rejected"}`:        2,
		`errors_total{code="WRONGTYPE"}`:                           1,
		`errors_total{code="ERR"}`:                                 2,
		`decisions_total{command="cl.throttle",outcome="allowed"}`: 1,
		`decisions_total{command="cl.throttle",outcome="limited"}`: 2,
		`decisions_total{command="cl.probe",outcome="looked"}`:     1,
		`limited_keys{db="0",key="user"}`:                          2,
	} {
		require.Contains(t, got, "cellserver_"+sample)
		require.Equal(t, want, got["cellserver_"+sample], sample)
	}
	require.NotContains(t, got, `cellserver_commands_total{command="getdel",outcome="ok"}`, "nobody asked for it")
	require.NotContains(t, got, `cellserver_keys{db="3"}`)
}

func TestMetricsHistogram(t *testing.T) {
	h := newHarness(t)
	for _, pause := range []time.Duration{time.Microsecond, 100 * time.Microsecond, 100 * time.Microsecond, 20 * time.Millisecond, time.Hour} {
		h.do("DEBUG", "CLOCK", "ADVANCE", int64(pause))
	}
	got := samples(t, h.server.Metrics())
	buckets := map[string]float64{"2.048e-06": 1, "3.2768e-05": 1, "0.000131072": 3, "0.008388608": 3, "0.033554432": 4, "2.147483648": 4, "+Inf": 5}
	for le, want := range buckets {
		require.Equal(t, want, got[`cellserver_command_duration_seconds_bucket{command="debug",le="`+le+`"}`], le)
	}
	require.Equal(t, 5.0, got[`cellserver_command_duration_seconds_count{command="debug"}`])
	require.InDelta(t, 3600.0202, got[`cellserver_command_duration_seconds_sum{command="debug"}`], 1e-3)
}

// Keys are what clients make up: any bytes, any length, any number.
func TestMetricsOfHostileKeys(t *testing.T) {
	h := newHarness(t, "--metrics-top-keys", "300")
	keys := []string{"", `a"b\c` + "\nd}", "\xff", "\xfe", "ä", strings.Repeat("x", 5000), strings.Repeat("x", 5001)}
	for i := range 500 {
		keys = append(keys, fmt.Sprint("key:", i))
	}
	for _, key := range keys {
		h.do("CL.THROTTLE", key, 0, 1, 60, 2)
		h.do("CL.THROTTLE", key, 0, 1, 60, 2)
	}
	for _, key := range keys[:7] {
		h.do("CL.THROTTLE", key, 0, 1, 60, 2)
	}
	text := h.server.Metrics()
	require.Contains(t, text, `key="a\"b\\c\nd}"} 3`+"\n")
	require.Contains(t, text, `key="ä"} 3`+"\n")
	require.Equal(t, 300-2, strings.Count(text, "cellserver_limited_keys{"), "two that look like others are left out")
	samples(t, text)
	h.want("CONFIG SET metrics-top-keys 0", ok)
	require.NotContains(t, h.server.Metrics(), "cellserver_limited_keys{")
	require.NotContains(t, h.infoText("throttle"), "limited_most")
}
