package server_test

import (
	"cellserver/commands"
	"cellserver/server/report"
	"cellserver/server/servertest"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMetrics(t *testing.T) {
	usage := func() report.Usage {
		return report.Usage{Resident: 1 << 20, User: 1500 * time.Millisecond, Input: 12}
	}
	h := servertest.NewAt(t, &servertest.Edge{Process: report.Process{Usage: usage}}, "--maxmemory", "1gb", "--metrics-top-keys", "10")
	h.Disk.Unsaved = 7
	h.Do("SET a 1 EX 1")
	h.Do("GET a")
	h.Do("GET b")
	h.Do("INCR")
	h.Do("INCR a b")
	h.Do("ZADD a 1 b")
	for range 3 {
		h.Do("CL.THROTTLE user 0 1 60")
	}
	h.Do("CL.PROBE user 0 1 60")
	h.Do("SELECT 4")
	h.Do("SET c 1")
	h.Advance(2 * time.Second)
	got := servertest.Samples(t, h.Server.Metrics())
	for sample, want := range map[string]float64{
		`info{version="` + commands.Version + `",mode="standalone",run_id="` + servertest.RunID + `"}`: 1,
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
		`changes_since_save`:                                       7,
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

// TestInfoNamesLimiters: CL.RULE RESET has a key, but decides nothing.
func TestInfoNamesLimiters(t *testing.T) {
	h := servertest.New(t)
	require.Contains(t, h.Info("throttle"), "limiter_cl.throttle")
	require.NotContains(t, h.Info("throttle"), "limiter_reset")
	require.NotContains(t, h.Server.Metrics(), `command="reset"`)
}

func TestMetricsHistogram(t *testing.T) {
	h := servertest.New(t)
	for _, pause := range []time.Duration{time.Microsecond, 100 * time.Microsecond, 100 * time.Microsecond, 20 * time.Millisecond, time.Hour} {
		h.Do("DEBUG", "CLOCK", "ADVANCE", int64(pause))
	}
	got := servertest.Samples(t, h.Server.Metrics())
	buckets := map[string]float64{"2.048e-06": 1, "3.2768e-05": 1, "0.000131072": 3, "0.008388608": 3, "0.033554432": 4, "2.147483648": 4, "+Inf": 5}
	for le, want := range buckets {
		require.Equal(t, want, got[`cellserver_command_duration_seconds_bucket{command="debug",le="`+le+`"}`], le)
	}
	require.Equal(t, 5.0, got[`cellserver_command_duration_seconds_count{command="debug"}`])
	require.InDelta(t, 3600.0202, got[`cellserver_command_duration_seconds_sum{command="debug"}`], 1e-3)
}

// TestMetricsOfHostileKeys: clients may choose keys of any bytes, any length and any number.
func TestMetricsOfHostileKeys(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG GET metrics-top-keys", []string{"metrics-top-keys", "0"})
	h.Want("CONFIG SET metrics-top-keys 300", ok)
	keys := []string{"", `a"b\c` + "\nd}", "\xff", "\xfe", "ä", strings.Repeat("x", 5000), strings.Repeat("x", 5001)}
	for i := range 500 {
		keys = append(keys, fmt.Sprint("key:", i))
	}
	for _, key := range keys {
		h.Do("CL.THROTTLE", key, 0, 1, 60, 2)
		h.Do("CL.THROTTLE", key, 0, 1, 60, 2)
	}
	for _, key := range keys[:7] {
		h.Do("CL.THROTTLE", key, 0, 1, 60, 2)
	}
	text := h.Server.Metrics()
	require.Contains(t, text, `key="a\"b\\c\nd}"} 3`+"\n")
	require.Contains(t, text, `key="ä"} 3`+"\n")
	require.Equal(t, 300-2, strings.Count(text, "cellserver_limited_keys{"), "two that look like others are left out")
	servertest.Samples(t, text)
	h.Do("EVAL", "return redis.error_reply('\xff x')", 0)
	h.Do("EVAL", "return redis.error_reply('\xfe x')", 0)
	h.Do("CONFIG", "SET", "adaptive-metrics-keys", "a a b\xff b\xfe")
	servertest.Samples(t, h.Server.Metrics())
	h.Want("CONFIG SET metrics-top-keys 0", ok)
	require.NotContains(t, h.Server.Metrics(), "cellserver_limited_keys{")
	require.NotContains(t, h.InfoText("throttle"), "limited_most")
}
