package commands

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// info returns the fields of INFO's sections.
func (c *testClient) info(sections string) map[string]string {
	c.t.Helper()
	fields := map[string]string{}
	for line := range strings.SplitSeq(c.infoText(sections), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			require.NotContains(c.t, fields, name)
			fields[name] = value
		}
	}
	return fields
}

// infoText returns the text of INFO.
func (c *testClient) infoText(sections string) string {
	c.t.Helper()
	text, isText := c.do("INFO " + sections).(string)
	require.True(c.t, isText)
	return text
}

// infoTitles returns the titles of INFO's sections.
func (c *testClient) infoTitles(sections string) []string {
	var titles []string
	for line := range strings.SplitSeq(c.infoText(sections), "\r\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			titles = append(titles, title)
		}
	}
	return titles
}

func TestInfo(t *testing.T) {
	h := newHarness(t)
	byDefault := []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules",
		"Errorstats", "Cluster", "Throttle", "Cellserver", "Keyspace"}
	require.Equal(t, byDefault, h.infoTitles(""))
	require.Equal(t, byDefault, h.infoTitles("default"))
	require.Len(t, h.infoTitles("ALL"), len(infoSections))
	require.Equal(t, h.infoTitles("all"), h.infoTitles("everything"))
	require.Equal(t, []string{"Server", "CPU", "Latencystats"}, h.infoTitles("latencystats Cpu SERVER nothing cpu"))
	require.Empty(t, h.infoText("nothing"))
	require.True(t, strings.HasPrefix(h.infoText("server cpu"), "# Server\r\nredis_version:7.0.15\r\n"))
	require.Contains(t, h.infoText("server cpu"), "\r\n\r\n# CPU\r\n")
}

// The fields of the section Persistence are the edge's, and in its test.
func TestInfoHasTheFieldsOfRedis(t *testing.T) {
	real := resptest.Dial(t, resptest.StartRedis(t))
	text := real.Do("INFO", "server", "clients", "memory", "stats", "replication", "cpu", "modules", "errorstats", "cluster", "keyspace").(string)
	ours := newHarness(t).info("default")
	for line := range strings.SplitSeq(text, "\r\n") {
		name, _, ok := strings.Cut(line, ":")
		switch {
		case !ok:
		case slices.Contains([]string{"atomicvar_api", "gcc_version", "used_cpu_sys_main_thread", "used_cpu_user_main_thread"}, name):
		case strings.HasPrefix(name, "allocator_"), strings.HasPrefix(name, "rss_overhead_"): // jemalloc's
		default:
			require.Contains(t, ours, name)
		}
	}
}

func TestInfoCounts(t *testing.T) {
	h := newHarness(t)
	h.do("SET a 1 PX 100000")
	h.do("SET b 1")
	h.do("GET a")
	h.do("GET missing")
	h.do("SELECT 3")
	h.do("SET c 1")
	h.do("INCR")
	h.do("NOPE")
	h.do("SET c d e")
	h.do("DEBUG CLOCK ADVANCE 3000000")
	for range 3 {
		h.do("CL.THROTTLE user 1 1 60")
	}
	h.do("CL.PROBE user 1 1 60")
	require.Subset(t, h.info("keyspace"), map[string]string{"db0": "keys=2,expires=1,avg_ttl=0", "db3": "keys=2,expires=1,avg_ttl=0"})
	require.Subset(t, h.info("errorstats"), map[string]string{"errorstat_ERR": "count=3"})
	require.Subset(t, h.info("commandstats"), map[string]string{
		"cmdstat_set":   "calls=4,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1",
		"cmdstat_incr":  "calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0",
		"cmdstat_debug": "calls=1,usec=3000,usec_per_call=3000.00,rejected_calls=0,failed_calls=0",
	})
	require.Subset(t, h.info("stats"), map[string]string{
		"keyspace_hits": "2", "keyspace_misses": "1", "total_error_replies": "3", "total_connections_received": "1",
	})
	require.Subset(t, h.info("throttle"), map[string]string{
		"limiter_cl.throttle": "allowed=2,limited=1,looked=0", "limiter_cl.probe": "allowed=0,limited=0,looked=1",
		"limited_most_1": `db=3,times=1,over=0,key="user"`,
	})
	require.Equal(t, "0", h.info("persistence")["loading"])
	h.do("HELLO 3")
	require.IsType(t, resptest.Verbatim{}, h.do("INFO cluster"))
}

func TestInfoInsideATransaction(t *testing.T) {
	h := newHarness(t)
	h.do("SET a 1 EX 10")
	h.do("MULTI")
	h.do("SET b 1 EX 10")
	h.do("INFO keyspace")
	replies := h.do("EXEC").([]any)
	require.Contains(t, replies[1], "db0:keys=2,expires=2,")
}

func TestInfoRates(t *testing.T) {
	h := newHarness(t)
	for range rateSamples + 1 {
		h.server.Tick()
		for range 5 {
			h.do("PING")
		}
		h.advance(100 * time.Millisecond)
	}
	require.Equal(t, "50", h.info("stats")["instantaneous_ops_per_sec"])
	h.do("CONFIG RESETSTAT")
	require.Equal(t, "0", h.info("stats")["instantaneous_ops_per_sec"])
}

func TestInfoOfTheProcess(t *testing.T) {
	h := newHarness(t)
	h.server.process = Process{OS: "Plan 9", PID: 7, Usage: func() Usage {
		return Usage{Resident: 1 << 20, User: 1500 * time.Millisecond, Input: 12}
	}}
	all := h.info("all")
	require.Equal(t, []string{"Plan 9", "7", "1.00M", "1.500000", "12"},
		[]string{all["os"], all["process_id"], all["used_memory_rss_human"], all["used_cpu_user"], all["total_net_input_bytes"]})
	h.want("CONFIG RESETSTAT", ok)
	require.Equal(t, "0", h.info("stats")["total_net_input_bytes"])
}

func TestHumanBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.00K", 1 << 20: "1.00M", 3 << 29: "1.50G", 1<<63 - 1: "8.00E"} {
		require.Equal(t, want, humanBytes(n))
	}
}

// mapOf is a RESP3 map of keys and values in turn.
func mapOf(pairs ...any) resptest.Map {
	var m resptest.Map
	wire := func(v any) any {
		if n, ok := v.(int); ok {
			return int64(n)
		}
		return v
	}
	for pair := range slices.Chunk(pairs, 2) {
		m = append(m, resptest.Pair{Key: wire(pair[0]), Value: wire(pair[1])})
	}
	return m
}
