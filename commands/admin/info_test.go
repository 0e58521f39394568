package admin

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/server/report"
	"cellserver/server/servertest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

func TestInfo(t *testing.T) {
	h := servertest.New(t)
	byDefault := []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules",
		"Errorstats", "Cluster", "Throttle", "Cellserver", "Keyspace"}
	require.Equal(t, byDefault, h.InfoTitles(""))
	require.Equal(t, byDefault, h.InfoTitles("default"))
	require.Len(t, h.InfoTitles("ALL"), 15)
	require.Equal(t, h.InfoTitles("all"), h.InfoTitles("everything"))
	require.Equal(t, []string{"Server", "CPU", "Latencystats"}, h.InfoTitles("latencystats Cpu SERVER nothing cpu"))
	require.Empty(t, h.InfoText("nothing"))
	require.True(t, strings.HasPrefix(h.InfoText("server cpu"), "# Server\r\nredis_version:7.0.15\r\n"))
	require.Contains(t, h.InfoText("server cpu"), "\r\n\r\n# CPU\r\n")
}

// TestInfoHasTheFieldsOfRedis ignores the section Persistence, which the edge fills in.
func TestInfoHasTheFieldsOfRedis(t *testing.T) {
	real := resptest.Dial(t, resptest.StartRedis(t))
	text := real.Do("INFO", "server", "clients", "memory", "stats", "replication", "cpu", "modules", "errorstats", "cluster", "keyspace").(string)
	ours := servertest.New(t).Info("default")
	for line := range strings.SplitSeq(text, "\r\n") {
		name, _, ok := strings.Cut(line, ":")
		switch {
		case !ok:
		case slices.Contains([]string{"atomicvar_api", "gcc_version", "used_cpu_sys_main_thread", "used_cpu_user_main_thread"}, name):
		case strings.HasPrefix(name, "allocator_"), strings.HasPrefix(name, "rss_overhead_"): // fields of jemalloc
		default:
			require.Contains(t, ours, name)
		}
	}
}

func TestInfoCounts(t *testing.T) {
	h := servertest.New(t, "--metrics-top-keys", "10")
	h.Do("SET a 1 PX 100000")
	h.Do("SET b 1")
	h.Do("GET a")
	h.Do("GET missing")
	h.Do("SELECT 3")
	h.Do("SET c 1")
	h.Do("INCR")
	h.Do("NOPE")
	h.Do("SET c d e")
	h.Do("DEBUG CLOCK ADVANCE 3000000")
	for range 3 {
		h.Do("CL.THROTTLE user 1 1 60")
	}
	h.Do("CL.PROBE user 1 1 60")
	require.Subset(t, h.Info("keyspace"), map[string]string{"db0": "keys=2,expires=1,avg_ttl=0", "db3": "keys=2,expires=1,avg_ttl=0"})
	require.Subset(t, h.Info("errorstats"), map[string]string{"errorstat_ERR": "count=3"})
	require.Subset(t, h.Info("commandstats"), map[string]string{
		"cmdstat_set":   "calls=4,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1",
		"cmdstat_incr":  "calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0",
		"cmdstat_debug": "calls=1,usec=3000,usec_per_call=3000.00,rejected_calls=0,failed_calls=0",
	})
	require.Subset(t, h.Info("stats"), map[string]string{
		"keyspace_hits": "2", "keyspace_misses": "1", "total_error_replies": "3", "total_connections_received": "1",
	})
	require.Subset(t, h.Info("throttle"), map[string]string{
		"limiter_cl.throttle": "allowed=2,limited=1,looked=0", "limiter_cl.probe": "allowed=0,limited=0,looked=1",
		"limited_most_1": `db=3,times=1,over=0,key="user"`,
	})
	require.Equal(t, "0", h.Info("persistence")["loading"])
	h.Do("HELLO 3")
	require.IsType(t, resptest.Verbatim{}, h.Do("INFO cluster"))
}

// TestHitsAndMisses: a command that looks at a key reads it, and does not use it.
func TestHitsAndMisses(t *testing.T) {
	h := servertest.New(t)
	h.Do("SET k v")
	for _, line := range []string{"EXISTS k none", "TYPE k", "TYPE none", "TTL k", "PEXPIRETIME none", "OBJECT ENCODING k", "OBJECT REFCOUNT none"} {
		h.Do(line)
	}
	require.Subset(t, h.Info("stats"), map[string]string{"keyspace_hits": "4", "keyspace_misses": "4"})
	h.Advance(time.Minute)
	h.Do("EXISTS k")
	h.Want("OBJECT IDLETIME k", 60)
}

func TestInfoInsideATransaction(t *testing.T) {
	h := servertest.New(t)
	h.Do("SET a 1 EX 10")
	h.Do("MULTI")
	h.Do("SET b 1 EX 10")
	h.Do("INFO keyspace")
	replies := h.Do("EXEC").([]any)
	require.Contains(t, replies[1], "db0:keys=2,expires=2,")
}

func TestInfoRates(t *testing.T) {
	h := servertest.New(t)
	for range 17 {
		h.Server.Tick()
		for range 5 {
			h.Do("PING")
		}
		h.Advance(100 * time.Millisecond)
	}
	require.Equal(t, "50", h.Info("stats")["instantaneous_ops_per_sec"])
	h.Do("CONFIG RESETSTAT")
	require.Equal(t, "0", h.Info("stats")["instantaneous_ops_per_sec"])
}

func TestInfoOfTheProcess(t *testing.T) {
	h := servertest.NewAt(t, &servertest.Edge{Process: report.Process{OS: "Plan 9", PID: 7, Usage: func() report.Usage {
		return report.Usage{Resident: 1 << 20, User: 1500 * time.Millisecond, Input: 12}
	}}})
	all := h.Info("all")
	require.Equal(t, []string{"Plan 9", "7", "1.00M", "1.500000", "12"},
		[]string{all["os"], all["process_id"], all["used_memory_rss_human"], all["used_cpu_user"], all["total_net_input_bytes"]})
	h.Want("CONFIG RESETSTAT", ok)
	require.Equal(t, "0", h.Info("stats")["total_net_input_bytes"])
}

// TestInfoOfASidecar: INFO and the metrics show the numbers of a sidecar. Another server has none.
func TestInfoOfASidecar(t *testing.T) {
	require.Empty(t, servertest.New(t).InfoText("sidecar"))
	edge := servertest.Edge{Process: report.Process{Sidecar: func() report.Sidecar {
		return report.Sidecar{
			Hub: []string{"10.0.0.1:6379", "10.0.0.2:6379"}, Up: true, Lag: 1500 * time.Microsecond, Accounts: 1, Lost: 9,
			Mode: "report", Figures: account.Figures{
				Asks: 2, Leased: 30, Spent: 20, Returned: 6, Stranded: 4, Passed: 7, Refused: 8,
				Charged: 11, Repeated: 12, Uncharged: 13,
			},
		}
	}}}
	h := servertest.NewAt(t, &edge)
	require.Equal(t, map[string]string{
		"upstream": "10.0.0.1:6379,10.0.0.2:6379", "hub_up": "1", "hub_lag_usec": "1500", "leased": "30", "spent": "20",
		"returned": "6", "stranded": "4", "charged": "11", "recharged": "12", "uncharged": "13", "upstream_mode": "report", "passed": "7", "refused_locally": "8", "lost": "9", "asks": "2", "accounts": "1",
	}, h.Info("sidecar"))
	require.Contains(t, h.InfoTitles(""), "Sidecar")
	got := servertest.Samples(t, h.Server.Metrics())
	for sample, want := range map[string]float64{
		"hub_up": 1, "hub_lag_seconds": 0.0015, "asks_total": 2, "accounts": 1,
		`units_total{outcome="leased"}`: 30, `units_total{outcome="spent"}`: 20, `units_total{outcome="returned"}`: 6,
		`units_total{outcome="stranded"}`: 4, `requests_total{outcome="passed"}`: 7,
		`requests_total{outcome="refused"}`: 8, `requests_total{outcome="lost"}`: 9,
	} {
		require.InDelta(t, want, got["cellserver_sidecar_"+sample], 0, sample)
	}
}
