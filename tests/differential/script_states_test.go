package differential

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// both sends a command to both servers, and requires equal replies.
type both struct {
	t           *testing.T
	redis, ours *wire
}

func newBoth(t *testing.T, redis, ours *peer) *both {
	b := &both{t: t}
	for _, side := range []struct {
		of *peer
		to **wire
	}{{redis, &b.redis}, {ours, &b.ours}} {
		w, err := dial(side.of.addr)
		require.NoError(t, err)
		t.Cleanup(func() { w.conn.Close() })
		*side.to = w
	}
	return b
}

func (b *both) same(args ...string) {
	b.t.Helper()
	want, err := b.redis.do(args...)
	require.NoError(b.t, err, "%q", args)
	got, err := b.ours.do(args...)
	require.NoError(b.t, err, "%q", args)
	if strings.ReplaceAll(want.String(), "-nan", "nan") != got.String() { // since 7.2, Redis too has one NaN
		b.t.Errorf("%q\n redis: %s\n  ours: %s", args, want, got)
	}
}

// must sends a command whose replies need not be equal.
func (b *both) must(args ...string) {
	b.t.Helper()
	for _, w := range []*wire{b.redis, b.ours} {
		r, err := w.do(args...)
		require.NoError(b.t, err)
		require.False(b.t, r.isError(), "%q: %s", args, r)
	}
}

// run runs a script with every first line and by every command, alone and in a transaction.
func (b *both) run(firstLines, sources []string, keys ...string) {
	b.t.Helper()
	for _, source := range sources {
		for _, line := range firstLines {
			for _, command := range []string{"EVAL", "EVAL_RO"} {
				args := append([]string{command, line + source, string(rune('0' + len(keys)))}, keys...)
				b.same(args...)
				b.same("MULTI")
				b.same(args...)
				b.same("EXEC")
			}
			b.same("SCRIPT", "LOAD", line+source)
			b.same("EXISTS", "k", "n", "z")
		}
	}
}

var (
	firstLines = []string{"", "#!lua\n", "#!lua flags=allow-oom\n", "#!lua flags=no-writes\n", "#!lua flags=no-writes,allow-oom\n"}
	// stateScripts read and write. What they may do depends on the state of the server.
	stateScripts = []string{
		"return redis.call('set', KEYS[1], 'v')", "return redis.pcall('set', KEYS[1], 'v')", "return redis.pcall('set', KEYS[1], 'v').err",
		"return redis.call('get', KEYS[1])", "redis.call('del', 'none') return redis.call('set', KEYS[1], 'v')",
		"redis.call('del', KEYS[1]) return redis.call('set', KEYS[1], 'v')", "redis.call('expire', KEYS[1], 100) return redis.call('incr', 'n')",
		"local r = redis.pcall('incr', 'n') redis.call('del', 'n') return {r.err or 'none', redis.call('incr', 'n')}",
		"redis.call('publish', 'c', 'm') return redis.call('incr', 'n')", "return redis.call('publish', 'c', 'm')", "return 1",
	}
)

// TestScriptsInEveryState compares what scripts may do over maxmemory, and after a snapshot that failed.
func TestScriptsInEveryState(t *testing.T) {
	redis, ours := startRedis(t, false), startOurs(t)
	b := newBoth(t, redis, ours)
	b.same("SET", "k", "v")
	b.run(firstLines, stateScripts, "k")
	b.same("CONFIG", "SET", "maxmemory", "1")
	b.run(firstLines, stateScripts, "k")
	b.same("CONFIG", "SET", "maxmemory", "0")
	b.must("SET", "k", "v")
	b.failSnapshots()
	b.run(firstLines, stateScripts, "k")
	b.same("PUBLISH", "c", "m")
}

// failSnapshots makes writes an error on both servers: it removes the directory of their snapshots.
func (b *both) failSnapshots() {
	b.must("CONFIG", "SET", "save", "3600 1")
	for _, w := range []*wire{b.redis, b.ours} {
		dir, err := w.do("CONFIG", "GET", "dir")
		require.NoError(b.t, err)
		require.NoError(b.t, os.RemoveAll(dir.elems[1].text))
		_, err = w.do("BGSAVE")
		require.NoError(b.t, err)
		require.Eventually(b.t, func() bool {
			info, err := w.do("INFO", "persistence")
			return err == nil && strings.Contains(info.text, "rdb_last_bgsave_status:err")
		}, replyTimeout, 20*time.Millisecond)
	}
}

// TestFirstLinesOfScripts compares how the line #!lua is read.
func TestFirstLinesOfScripts(t *testing.T) {
	b := newBoth(t, startRedis(t, false), startOurs(t))
	for _, line := range []string{
		"#!lua", "#!", "#! lua", "#!lua ", "#!lua  flags=", "#!lua flags=no-writes,no-writes", "#!lua flags=no-writes, allow-oom", "#!lua flags=nope",
		"#!lua flags=No-Writes", "#!lua name=x", "#!lua name=x flags=allow-stale", "#!js", "#!LUA", "#!lua foo", "#!lua flags=allow-stale",
		"#!lua flags=allow-cross-slot-keys", "#!lua flags=no-cluster", "#!lua\t", "#!lua flags=,", "#!lua flags=no-writes\r", `#!lua flags="no-writes"`,
		`#!lua flags="no-writes`, "#!lua flags=no-writes flags=allow-oom", "\n#!lua", " #!lua",
	} {
		for _, source := range []string{"", "\nreturn 1", "\nreturn redis.call('set', 'x', 1)", "\n\nreturn x.y", "\nx y"} {
			for _, command := range []string{"EVAL", "EVAL_RO"} {
				b.same(command, line+source, "0")
			}
			b.same("SCRIPT", "LOAD", line+source)
		}
	}
}

// TestScriptsInRESP3 compares what scripts return, and what their commands return to them, in both protocols.
func TestScriptsInRESP3(t *testing.T) {
	b := newBoth(t, startRedis(t, false), startOurs(t))
	values := strings.Split(`{map={a=1}}|{map={}}|{set={a=true}}|{set={}}|{double=1.5}|{double=10}|{double=1/0}|{double=-1/0}|{double=0/0}|`+
		`{double='x'}|true|false|nil|{true,false,nil,1}|{big_number='123'}|{big_number='1\r\n2'}|{big_number=5}|{verbatim_string={format='txt',string='hi'}}|`+
		`{verbatim_string={format='toolong',string='hi'}}|{verbatim_string='x'}|{ok='fine'}|{err='MY err'}|{err='My\r\nerr'}|{ok='a\r\nb'}|3.99|-3.99|1e300|`+
		`{map={[1]={double=2}}}|{map=1}|{set=1}|{{map={a={set={b=true}}}}}|{err=1}|{ok=1}|{err=''}|{err='nocode'}|{err='-DASH x'}|0/0|1/0|2^53|2^63|-2^63|`+
		`{err='x',ok='y'}|{ok='y',double=1}|{1,2,[4]=4}|redis.status_reply('')|redis.error_reply('x')|redis.error_reply('-X y')|redis.error_reply(1)|'\0'|{map={a=1},1,2}`, "|")
	calls := []string{"'hgetall','h'", "'zscore','z','m'", "'zscore','z','none'", "'smembers','set'", "'get','none'", "'zrange','z','0','-1','withscores'",
		"'sismember','set','x'", "'zpopmin','none'", "'incrbyfloat','f','1.5'", "'hgetall','none'", "'object','encoding','none'", "'config','nope'"}
	for _, kind := range []string{"attrib", "bignum", "verbatim", "double", "null", "map", "set", "true", "false", "push", "string", "integer", "array"} {
		calls = append(calls, "'debug','protocol','"+kind+"'")
	}
	for _, proto := range []string{"2", "3"} {
		b.must("HELLO", proto)
		b.must("FLUSHALL")
		for _, line := range []string{"SET s v", "HSET h a 1", "ZADD z 1.5 m", "SADD set x"} {
			b.same(strings.Fields(line)...)
		}
		for _, version := range []string{"", "redis.setresp(3) ", "redis.setresp(3) redis.setresp(2) "} {
			for _, value := range values {
				b.same("EVAL", version+"return "+value, "0")
			}
			for _, call := range calls {
				b.same("EVAL", version+"return redis.call("+call+")", "0")
				b.same("EVAL", version+"return redis.pcall("+call+")", "0")
				b.same("EVAL", version+"local r = redis.pcall("+call+") if type(r) ~= 'table' then return {type(r), tostring(r)} end "+
					"local k = {} for a, v in pairs(r) do k[#k + 1] = tostring(a) .. type(v) end table.sort(k) return k", "0")
			}
		}
		b.same("MULTI")
		b.same("EVAL", "redis.setresp(3) return redis.call('hgetall', 'h')", "0")
		b.same("EVAL", "return {double=1.5}", "0")
		b.same("EXEC")
	}
	for _, call := range []string{"redis.setresp(4)", "redis.setresp()", "redis.setresp('3')", "redis.setresp(3, 3)"} {
		b.same("EVAL", "return "+call, "0")
	}
}

// startClusters starts both servers in cluster mode, with all slots.
func startClusters(t *testing.T) (redis, ours *peer) {
	t.Helper()
	startRedis(t, false) // or skips
	if os.Getenv("CELLSERVER_ADDR") != "" {
		skip(t, "CELLSERVER_ADDR names a server that is not in cluster mode")
	}
	_, bus, _ := strings.Cut(fmt.Sprint("127.0.0.1:", porttest.Free(t)), ":")
	redis = &peer{name: "redis"}
	redis.launch(t, exec.Command("redis-server", "--save", "", "--cluster-enabled", "yes", "--cluster-port", bus, "--dir", t.TempDir()))
	ours = &peer{name: "cellserver"}
	ours.launch(t, exec.Command(program, "--appendonly", "no", "--cluster-enabled", "yes", "--dir", t.TempDir()))
	_, err := redis.admin.do("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := redis.admin.do("CLUSTER", "INFO")
		return err == nil && strings.Contains(info.text, "cluster_state:ok")
	}, replyTimeout, 50*time.Millisecond)
	return redis, ours
}

// TestScriptsInACluster compares which keys a script may use in cluster mode.
func TestScriptsInACluster(t *testing.T) {
	redis, ours := startClusters(t)
	b := newBoth(t, redis, ours)
	b.same("SET", "{a}1", "x")
	b.same("SET", "{b}1", "y")
	lines := append(slices.Clone(firstLines), "#!lua flags=allow-cross-slot-keys\n", "#!lua flags=no-cluster\n")
	b.run(lines, []string{
		"return redis.call('get', '{b}1')", "redis.call('get', '{a}1') return redis.call('get', '{b}1')", "return redis.call('mget', '{a}1', '{b}1')",
		"return redis.pcall('mget', '{a}1', '{b}1').err", "redis.pcall('get', '{a}1') return redis.pcall('get', '{b}1')", "return redis.call('dbsize')",
		"redis.call('set', '{a}3', 'z') return redis.call('set', '{b}3', 'z')", "return redis.call('ping')",
	})
	b.run(lines, []string{"return redis.call('get', KEYS[1])", "return redis.call('mget', KEYS[1], '{b}1')", "return redis.call('get', '{b}1')",
		"redis.call('set', KEYS[1], 'z') return redis.call('set', '{b}3', 'z')"}, "{a}1")
	b.run(lines, []string{"return 1", "return redis.call('mget', KEYS[1], KEYS[2])"}, "{a}1", "{b}1")
	b.run(lines, []string{"return redis.call('mget', KEYS[1], KEYS[2])"}, "{a}1", "{a}2")
}
