package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// well is INFO of a server without a problem.
const well = "cellserver_version:1\r\nredis_mode:standalone\r\nuptime_in_seconds:300000\r\naof_enabled:1\r\naof_last_write_status:ok\r\nrdb_last_bgsave_status:ok\r\n" +
	"maxclients:100\r\nconnected_clients:3\r\nmaxmemory:1000\r\nused_memory:10\r\nlimiter_cl.check:allowed=300,limited=100,looked=0\r\n"

func factsOf(info string) *facts {
	f := &facts{fields: map[string]string{}}
	f.readInfo(info)
	return f
}

// TestAdvice changes one fact of a server that is well. Each one has its advice.
func TestAdvice(t *testing.T) {
	require.Equal(t, []string{"nothing: the server is well"}, factsOf(well).advice("a:1"))
	for change, want := range map[string]string{
		"aof_last_write_status:err":  "make room on the disk, or repair it: the log",
		"rdb_last_bgsave_status:err": "make room on the disk, or repair it: the last snapshot",
		"aof_delayed_fsync:10":       "find out why the disk is slow",
		"loading:1":                  "wait: ",
		"cluster_state:down":         "run cellserver cluster-check a:1: ",
		"cluster_state:ok\ncluster_nodes:3\ncluster_nodes_healthy:2": "run cellserver cluster-check a:1: 2 of 3 nodes",
		"cluster_state:ok\nerrorstat_CLUSTERDOWN:count=2":            "read the log for elections: 2 commands",
		"role:slave\nmaster_link_status:up\nmaster_full_copies:3":    "raise repl-backlog-size",
		"errorstat_MISCONF:count=3":                                  "read the log for the disk: 3 commands",
		"command_panics:1":                                           "report the bug",
		"used_memory:901":                                            "raise maxmemory: it is nearly",
		"errorstat_OOM:count=4":                                      "raise maxmemory, or choose another maxmemory-policy: 4 commands",
		"evicted_keys:1":                                             "raise maxmemory: keys were evicted",
		"connected_clients:91":                                       "find the clients",
		"rejected_connections:1":                                     "raise maxclients",
		"limiter_gcra:allowed=0,limited=201":                         "ask CL.TOP 10",
		"auth_failures:10":                                           "ask ACL LOG",
		"clock_steps_back:1":                                         "check the clock",
		"upstream:h:1\nhub_up:0":                                     "run cellserver doctor h:1: the hub does not answer",
		"upstream:h:1\nhub_up:1\nerrorstat_NOPERM:count=1":           "check upstream-user",
		"upstream:h:1\nhub_up:1\nleased:100\nstranded:11":            "look for pauses",
		"upstream:h:1\nhub_up:1\nuncharged:1":                        "let the user of each client run CL.CHARGE",
	} {
		lines := factsOf(well + strings.ReplaceAll(change, "\n", "\r\n") + "\r\n").advice("a:1")
		require.Len(t, lines, 1, change)
		require.True(t, strings.HasPrefix(lines[0], want), "%s: %s", change, lines[0])
	}
	f := factsOf(well)
	f.readSlow([]any{[]any{int64(1), int64(0), int64(5), []any{"GET", "a"}}, []any{int64(0), int64(0), int64(200_000), []any{"KEYS", "*"}}, "no entry"})
	require.Contains(t, f.advice("a:1")[0], "SLOWLOG")
	require.Equal(t, `3 entries in SLOWLOG; the longest took 200ms: "KEYS *"`, f.slow())
}

// TestQuietEnough: the same facts in amounts that need no person.
func TestQuietEnough(t *testing.T) {
	for _, change := range []string{"role:slave\r\nmaster_link_status:up\r\nmaster_full_copies:2", "aof_delayed_fsync:9", "used_memory:900", "connected_clients:90", "limiter_gcra:allowed=0,limited=200", "auth_failures:9",
		"maxmemory:0\r\nused_memory:99999", "aof_enabled:0\r\naof_last_write_status:", "cluster_state:ok\r\ncluster_nodes:3\r\ncluster_nodes_healthy:3",
		"upstream:h:1\r\nhub_up:1\r\nleased:99\r\nstranded:50", "upstream:h:1\r\nhub_up:1\r\nleased:1000\r\nstranded:100"} {
		require.Equal(t, []string{"nothing: the server is well"}, factsOf(well+change+"\r\n").advice("a:1"), change)
	}
}

// TestLeases: a hub shows its sidecars, and a sidecar its hub.
func TestLeases(t *testing.T) {
	require.NotContains(t, factsOf(well+"connected_sidecars:0\r\nleases:asks=0,granted=0,returned=0\r\n").page("a:1"), "leases ")
	hub := factsOf(well + "connected_sidecars:8\r\nleases:asks=20,granted=400,returned=3\r\n").page("a:1")
	require.Contains(t, hub, "leases    8 sidecars; 400 units leased in 20 questions, 3 given back\n")
	require.NotContains(t, hub, "hub ")
	info := "upstream:h:1,i:2\r\nhub_up:1\r\nhub_lag_usec:412\r\nleased:90\r\nspent:80\r\nreturned:7\r\nstranded:3\r\npassed:5\r\nrefused_locally:2\r\n"
	require.Contains(t, factsOf(well+info).page("a:1"),
		"hub       h:1,i:2 answers within 412µs; of 90 units leased 80 spent, 7 given back, 3 stranded; 5 passed, 2 refused here\n")
	require.Contains(t, factsOf(well+info+"charged:70\r\nrecharged:4\r\n").page("a:1"), "2 refused here; 70 units charged, 4 sent again, 0 never charged\n")
	require.Contains(t, factsOf(well+info+"hub_up:0\r\n").page("a:1"), "hub       h:1,i:2 does not answer in time; of 90 ")
}

// TestHiddenKeys: without keys in INFO the page says where they are.
func TestHiddenKeys(t *testing.T) {
	require.Contains(t, factsOf(well).page("a:1"), "refused   ask CL.TOP 10, because metrics-top-keys hides keys\n")
}

// TestOne: the page counts one thing as one.
func TestOne(t *testing.T) {
	page := factsOf("limiter_gcra:allowed=1,limited=0\r\nerrorstat_MOVED:count=1\r\nclock_steps_back:1\r\n").page("a:1")
	for _, part := range []string{"limits    1 action allowed,", "errors    MOVED once\n", "clock set back once,"} {
		require.Contains(t, page, part)
	}
}

// TestPage has texts that clients chose.
func TestPage(t *testing.T) {
	f := factsOf(well + "rule_api:allowed=1,limited=5,shadow_limited=0\r\nrule_new:allowed=9,limited=0,shadow_limited=7\r\n" +
		`limited_most_1:db=0,times=5,over=0,key="a,b=c\x1b"` + "\r\nerrorstat_\x1b[2J:count=1\r\nerrorstat_ERR:count=7\r\n" +
		"cmdstat_get:calls=1,usec=10,usec_per_call=10.00\r\ncmdstat_set:calls=1,usec=90,usec_per_call=90.00\r\ncluster_state:ok\r\ncluster_leads:1\r\n" +
		"cluster_nodes:3\r\ncluster_nodes_healthy:2\r\n")
	page := f.page("a:1")
	require.Equal(t, 15, strings.Count(page, "\n"))
	for _, part := range []string{
		"server    a:1, version 1, standalone, up for 3 days, answers within 0s\n",
		"limits    300 actions allowed, 100 refused (25.0 %)\n",
		"rules     2: new refused 0 of 9 and would have refused 7 more without SHADOW, api refused 5 of 6\n",
		`refused   "a,b=c\x1b" 5 times` + "\n", "errors    ERR 7 times, ?[2J once\n", "most time for set 90.00 us, get 10.00 us\n", "cluster   ok; this node leads, term 0; 2 of 3 nodes answer\n", "disk      the log is that of the cluster; ",
	} {
		require.Contains(t, page, part)
	}
}

// fake serves one connection with fixed replies, one for each command, and then closes it.
func fake(t *testing.T, replies ...string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return serve(t, l, replies)
}

// serve serves one connection of a listener as fake does.
func serve(t *testing.T, l net.Listener, replies []string) (address string) {
	t.Helper()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		in := bufio.NewReader(nc)
		for _, reply := range replies {
			if skipCommand(in) != nil {
				return
			}
			_, _ = io.WriteString(nc, reply)
		}
	}()
	return l.Addr().String()
}

// skipCommand reads a command of the doctor.
func skipCommand(in *bufio.Reader) error {
	var n int
	if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
		return err
	}
	for range 2 * n {
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}

func bulk(text string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text) }

func TestExamine(t *testing.T) {
	page, err := Examine(fake(t, "+OK\r\n", "+PONG\r\n", bulk(well), "*0\r\n"), Login{Password: "secret"}, nil)
	require.NoError(t, err)
	require.Contains(t, page, "nothing: the server is well")
	page, err = Examine(fake(t, "-LOADING the data\r\n", bulk(well+"loading:1\r\n"), "-LOADING the data\r\n"), Login{}, nil)
	require.NoError(t, err)
	require.Contains(t, page, `answers "LOADING the data"`)
}

// TestWrongServers asks servers that refuse, and programs of another protocol.
func TestWrongServers(t *testing.T) {
	for reply, want := range map[string]string{
		"-NOAUTH Authentication required.\r\n": "add --requirepass",
		"-DENIED protected mode\x1b\r\n":       `refuses: "DENIED protected mode\x1b"`,
		"HTTP/1.1 400 Bad Request\r\n":         "not one of a Redis server",
		"$99999999999\r\n":                     "not one of a Redis server",
		"$-2\r\n":                              "not one of a Redis server",
		"*99999999\r\n":                        "not one of a Redis server",
		strings.Repeat("*1\r\n", 20):           "not one of a Redis server",
		"\n":                                   "not one of a Redis server",
		strings.Repeat("+", 5000):              "not one of a Redis server",
		"$10\r\nabc":                           "closed the connection",
		":5\r\n":                               "not one of a Redis server",
		"$-1\r\n":                              "not one of a Redis server",
	} {
		_, err := Examine(fake(t, "+PONG\r\n", reply), Login{}, nil)
		require.ErrorContains(t, err, want, "%.20q", reply)
	}
	_, err := Examine(fake(t, "-WRONGPASS no\r\n"), Login{Password: "secret"}, nil)
	require.ErrorContains(t, err, "WRONGPASS")
	_, err = Examine("127.0.0.1:1", Login{}, nil)
	require.ErrorContains(t, err, "check that cellserver runs there")
}

// TestSilence bounds the wait for a server that accepts and says nothing.
func TestSilence(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	c := &conn{Conn: ours, in: bufio.NewReader(ours), timeout: time.Millisecond}
	_, err := c.ask()
	var late net.Error
	require.True(t, errors.As(err, &late) && late.Timeout())
	require.ErrorContains(t, explain("a:1", err), "does not answer within")
}
