package app

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// master is a real Redis that a test follows.
type master struct {
	*processtest.Process
	port int
}

func startRedis(t testing.TB, words ...string) *master {
	t.Helper()
	port := porttest.Free(t)
	m := &master{port: port}
	args := append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "",
		"--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"}, words...)
	m.Process = processtest.Start(t, exec.Command(processtest.Installed(t, "redis-server"), args...))
	m.Await(fmt.Sprintf("127.0.0.1:%d", port))
	return m
}

func (m *master) dial(t testing.TB) *resptest.Client {
	t.Helper()
	return resptest.Dial(t, fmt.Sprintf("127.0.0.1:%d", m.port))
}

// info returns a field of INFO.
func info(c *resptest.Client, section, field string) string {
	return fieldOf(c.Do("INFO", section), field)
}

// fieldOf returns a field of a reply of INFO.
func fieldOf(reply any, field string) string {
	text, _ := reply.(string)
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name == field {
			return value
		}
	}
	return ""
}

// caughtUp waits until a server has all that its master has written.
func caughtUp(t testing.TB, from, to *resptest.Client) {
	t.Helper()
	require.Eventually(t, func() bool {
		return info(to, "replication", "master_link_status") == "up" &&
			info(from, "replication", "master_repl_offset") == info(to, "replication", "slave_repl_offset")
	}, timeout, 5*time.Millisecond, "%s", info(to, "replication", "master_link_error"))
}

// dump returns all keys of all databases in a canonical form: types, values and expiries. A test calls it when
// nobody writes.
func dump(t testing.TB, c *resptest.Client, databases int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for db := range databases {
		ok(t, c, "SELECT", db)
		for _, key := range wordsOf(c.Do("KEYS", "*")) {
			kind := string(c.Do("TYPE", key).(resptest.Simple))
			var value []string
			switch kind {
			case "string":
				value = wordsOf([]any{c.Do("GET", key)})
			case "list":
				value = wordsOf(c.Do("LRANGE", key, 0, -1))
			case "set":
				value = wordsOf(c.Do("SMEMBERS", key))
				slices.Sort(value)
			case "zset":
				value = wordsOf(c.Do("ZRANGE", key, 0, -1, "WITHSCORES"))
			case "hash":
				fields := wordsOf(c.Do("HGETALL", key))
				for i := 0; i < len(fields); i += 2 {
					value = append(value, fields[i]+"="+fields[i+1])
				}
				slices.Sort(value)
			}
			all[fmt.Sprintf("%d/%s", db, key)] = fmt.Sprintf("%s %q until %v", kind, value, c.Do("PEXPIRETIME", key))
		}
	}
	ok(t, c, "SELECT", 0)
	return all
}

// requireEqualKeys requires that two servers have equal keys. Keys that expire during the comparison do not
// count.
func requireEqualKeys(t testing.TB, a, b *resptest.Client, databases int) {
	t.Helper()
	of, to := dump(t, a, databases), dump(t, b, databases)
	end := time.Now().UnixMilli()
	for _, all := range []map[string]string{of, to} {
		maps.DeleteFunc(all, func(_, value string) bool {
			at, _ := strconv.ParseInt(value[strings.LastIndexByte(value, ' ')+1:], 10, 64)
			return at != -1 && at <= end
		})
	}
	require.Equal(t, of, to)
}

func wordsOf(reply any) (all []string) {
	for _, w := range reply.([]any) {
		all = append(all, fmt.Sprint(w))
	}
	return all
}

// breaker is a proxy whose connections a test cuts.
type breaker struct {
	net.Listener
	mu   sync.Mutex // guards open
	open []net.Conn
}

func startBreaker(t testing.TB, to int) *breaker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &breaker{Listener: l}
	t.Cleanup(func() { l.Close(); c.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", to))
			if err != nil {
				in.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, in, out)
			c.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); out.Close() }()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
	return c
}

func (c *breaker) port() int { return c.Addr().(*net.TCPAddr).Port }

func (c *breaker) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, nc := range c.open {
		nc.Close()
	}
	c.open = nil
}

// TestReplicaOf: a server takes the keys of a Redis and follows it, is read-only meanwhile, and keeps the keys. This
// Redis waits for more replicas before a copy, as all do by default.
func TestReplicaOf(t *testing.T) {
	redis := startRedis(t, "--repl-diskless-sync-delay", "2")
	m := redis.dial(t)
	ok(t, m, "MSET", "a", "1", "b", "hello")
	require.EqualValues(t, 3, m.Do("RPUSH", "l", "1", "2", "3"))
	in := start(t)
	c := in.dial(t)
	ok(t, c, "SET", "mine", "gone")
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	require.Equal(t, resptest.Error("READONLY You can't write against a read only replica."), c.Do("SET", "a", "2"))
	require.Equal(t, resptest.Simple("OK Already connected to specified master"), c.Do("SLAVEOF", "127.0.0.1", redis.port))
	caughtUp(t, m, c)
	requireEqualKeys(t, m, c, 16)
	role := c.Do("ROLE").([]any)
	require.Equal(t, []any{"slave", "127.0.0.1", int64(redis.port), "connected"}, role[:4])
	require.Equal(t, "slave", info(c, "replication", "role"))
	require.Equal(t, "1", info(c, "replication", "master_full_copies"))
	ok(t, m, "SELECT", 5)
	ok(t, m, "MULTI")
	for _, words := range [][]any{{"SET", "k", "v", "PX", 1000000}, {"INCRBY", "n", 5}} {
		require.Equal(t, resptest.Simple("QUEUED"), m.Do(words...))
	}
	m.Do("EXEC")
	m.Do("EVAL", "redis.call('HSET', KEYS[1], 'f', ARGV[1]); return redis.call('INCR', KEYS[2])", 2, "h", "n", "x")
	caughtUp(t, m, c)
	requireEqualKeys(t, m, c, 16)
	ok(t, c, "REPLICAOF", "NO", "ONE")
	ok(t, c, "SET", "a", "2")
	ok(t, m, "SET", "a", "3")
	require.Equal(t, "2", c.Do("GET", "a"))
	require.Equal(t, "master", info(c, "replication", "role"))
}

// TestReplicaOfAReplica: a replica passes on the commands of its own master. That one selected a database before
// the copy, and does not select it again.
func TestReplicaOfAReplica(t *testing.T) {
	first := startRedis(t)
	m := first.dial(t)
	second := startRedis(t, "--replicaof", fmt.Sprint("127.0.0.1 ", first.port))
	r := second.dial(t)
	require.Eventually(t, func() bool { return info(r, "replication", "master_link_status") == "up" }, timeout, time.Millisecond)
	ok(t, m, "SELECT", 3)
	ok(t, m, "SET", "before", "1")
	ok(t, r, "SELECT", 3)
	require.Eventually(t, func() bool { return r.Do("GET", "before") == "1" }, timeout, time.Millisecond)
	c := start(t).dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", second.port)
	require.Eventually(t, func() bool { return info(c, "replication", "master_link_status") == "up" }, timeout, time.Millisecond)
	ok(t, m, "SET", "after", "2")
	require.Eventually(t, func() bool { return r.Do("GET", "after") == "2" }, timeout, time.Millisecond)
	caughtUp(t, r, c)
	requireEqualKeys(t, m, c, 16)

	few := start(t, "--databases", "2").dial(t)
	ok(t, m, "SELECT", 3)
	require.EqualValues(t, 2, m.Do("DEL", "before", "after"))
	caughtUp(t, r, c)
	ok(t, few, "REPLICAOF", "127.0.0.1", second.port)
	require.Eventually(t, func() bool {
		return strings.Contains(info(few, "replication", "master_link_error"), "its commands begin in database 3, but there are only 2")
	}, timeout, time.Millisecond)
}

// write sends one random write of a client: any type, with and without an expiry, in MULTI and by scripts.
func write(t testing.TB, c *resptest.Client, r *rand.Rand) {
	key := func(kind string) string { return fmt.Sprintf("%s:%d", kind, r.IntN(200)) }
	member, n := strconv.Itoa(r.IntN(50)), r.IntN(1000)
	one := func() []any {
		switch r.IntN(16) {
		case 0:
			return []any{"SET", key("s"), n, "PX", 1 + r.IntN(300)}
		case 1:
			return []any{"INCRBY", key("n"), n}
		case 2:
			return []any{"APPEND", key("a"), member}
		case 3:
			return []any{"RPUSH", key("l"), member, n}
		case 4:
			return []any{"LPOP", key("l")}
		case 5:
			return []any{"HINCRBY", key("h"), member, n}
		case 6:
			return []any{"ZADD", key("z"), n, member}
		case 7:
			return []any{"ZREMRANGEBYRANK", key("z"), 0, 1}
		case 8:
			return []any{"SADD", key("t"), member, n}
		case 9:
			return []any{"SPOP", key("t")}
		case 10:
			return []any{"PEXPIRE", key([]string{"n", "l", "h", "z", "t"}[r.IntN(5)]), 1 + r.IntN(100_000)}
		case 11:
			return []any{"EXPIRE", key("l"), 1 + r.IntN(2)}
		case 12:
			return []any{"EVAL", "redis.call('INCR', KEYS[1]); redis.call('PEXPIRE', KEYS[1], ARGV[1])", 1, key("e"), 1 + r.IntN(5000)}
		case 13:
			return []any{"RENAME", key("a"), key("b")}
		case 14:
			return []any{"LMOVE", key("l"), key("l"), "LEFT", "RIGHT"}
		}
		return []any{"GETEX", key("n"), "PERSIST"}
	}
	if r.IntN(10) > 0 {
		c.Do(one()...)
		return
	}
	c.Do("MULTI")
	for range 1 + r.IntN(5) {
		c.Do(one()...)
	}
	c.Do("EXEC")
}

// TestReplicaUnderLoad: 50 clients write to a Redis that a server follows. The link is cut 20 times, and the
// server stops and starts again. In the end every key has its value and its expiry.
func TestReplicaUnderLoad(t *testing.T) {
	redis := startRedis(t, "--repl-backlog-size", "4mb")
	proxy, dir := startBreaker(t, redis.port), t.TempDir()
	m := redis.dial(t)
	for i := range 5000 {
		m.Send("SET", fmt.Sprintf("old:%d", i), i)
	}
	for range 5000 {
		m.Recv()
	}
	in := start(t, "--appendonly", "yes", "--dir", dir, "--replicaof", "127.0.0.1", strconv.Itoa(proxy.port()))
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for i := range 50 {
		c, r := redis.dial(t), rand.New(rand.NewPCG(uint64(i), 1))
		ok(t, c, "SELECT", i%3)
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					write(t, c, r)
				}
			}
		})
	}
	for i := range 20 {
		time.Sleep(100 * time.Millisecond) // the cut comes at any moment of the stream
		if i == 10 {
			in.stop()
			in.wait(t)
			in = start(t, "--appendonly", "yes", "--dir", dir)
		}
		proxy.cut()
	}
	close(stop)
	clients.Wait()
	c := in.dial(t)
	caughtUp(t, m, c)
	requireEqualKeys(t, m, c, 3)
	require.Equal(t, "", info(c, "replication", "master_left_out"))
	t.Logf("full copies since the restart: %s", info(c, "replication", "master_full_copies"))
}

// TestExpiryOfTheMaster: the clock of this server is an hour ahead. Keys that have expired for it are not
// there for clients, and stay: the master may still change them. After REPLICAOF NO ONE they go.
func TestExpiryOfTheMaster(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	in := start(t, "--appendonly", "yes")
	c := in.dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	ok(t, m, "SET", "copied", 1, "EX", 1000)
	caughtUp(t, m, c)
	ok(t, c, "DEBUG", "CLOCK", "ADVANCE", int64(time.Hour))
	for _, key := range []string{"copied", "later", "gone", "longer", "counted"} {
		ok(t, m, "SET", key, 5, "EX", 1000)
	}
	m.Do("SADD", "set", "x")
	m.Do("PEXPIRE", "set", 1_000_000)
	caughtUp(t, m, c)
	require.Equal(t, []any{resptest.NilBulk, resptest.NilBulk, resptest.NilBulk}, c.Do("MGET", "copied", "later", "gone"))
	require.EqualValues(t, 0, c.Do("EXISTS", "set"))
	require.Equal(t, []any{}, c.Do("KEYS", "*"))
	require.Equal(t, resptest.NilBulk, c.Do("RANDOMKEY"))
	require.Equal(t, []any{"0", []any{}}, c.Do("SCAN", 0, "COUNT", 1000))
	c.Do("BGREWRITEAOF") // the base has them, too

	require.EqualValues(t, 1, m.Do("PERSIST", "later"))
	require.EqualValues(t, 1, m.Do("DEL", "gone"))
	require.EqualValues(t, 1, m.Do("EXPIRE", "longer", 10_000))
	require.EqualValues(t, 6, m.Do("INCR", "counted"))
	require.Equal(t, "5", m.Do("GETEX", "copied", "PERSIST"))
	require.EqualValues(t, 1, m.Do("SADD", "set", "y"))
	require.EqualValues(t, 1, m.Do("PERSIST", "set"))
	require.EqualValues(t, 1, m.Do("PERSIST", "counted"))
	caughtUp(t, m, c)
	require.Equal(t, []any{"5", "5", resptest.NilBulk, "5", "6"}, c.Do("MGET", "copied", "later", "gone", "longer", "counted"))
	require.EqualValues(t, 2, c.Do("SCARD", "set"))
	require.Equal(t, m.Do("PEXPIRETIME", "longer"), c.Do("PEXPIRETIME", "longer"))

	ok(t, m, "SET", "short", 1, "EX", 1000)
	caughtUp(t, m, c)
	require.EqualValues(t, 6, c.Do("DBSIZE"))
	ok(t, c, "REPLICAOF", "NO", "ONE")
	require.Equal(t, resptest.NilBulk, c.Do("GET", "short"))
	require.EqualValues(t, 5, c.Do("DBSIZE"))
}

// TestMoveOfWhatIsNotKept: a move stops at a copy with a stream, and at a command that is not here, and nothing
// changes. With rdb-skip-unsupported it goes on, and counts what it leaves out.
func TestMoveOfWhatIsNotKept(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	m.Do("XADD", "s", "*", "f", "v")
	m.Do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	ok(t, m, "SET", "k", "v")
	in := start(t)
	c := in.dial(t)
	ok(t, c, "SET", "mine", "1")
	stopped := func(why ...string) {
		t.Helper()
		require.Eventually(t, func() bool { return info(c, "replication", "master_link_stopped") == "1" }, timeout, time.Millisecond)
		for _, text := range why {
			require.Contains(t, info(c, "replication", "master_link_error"), text)
		}
		require.Equal(t, resptest.Error("READONLY You can't write against a read only replica."), c.Do("SET", "mine", "2"))
	}
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	stopped("1 × function library, 1 × stream", "CONFIG SET rdb-skip-unsupported yes")
	require.Equal(t, "1", c.Do("GET", "mine"))
	require.Equal(t, resptest.NilBulk, c.Do("GET", "k"))

	ok(t, c, "CONFIG", "SET", "rdb-skip-unsupported", "yes")
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	caughtUp(t, m, c)
	require.Equal(t, []any{resptest.NilBulk, "v"}, c.Do("MGET", "mine", "k"))
	require.Equal(t, `"function library"=1,"stream"=1`, info(c, "replication", "master_left_out"))
	m.Do("XADD", "s", "*", "f", "v")
	m.Do("RENAME", "s", "s2")
	ok(t, m, "SET", "k", "w")
	caughtUp(t, m, c)
	require.Equal(t, "w", c.Do("GET", "k"))
	require.Equal(t, `"command XADD"=1,"command rename"=1,"function library"=1,"stream"=1`, info(c, "replication", "master_left_out"))

	ok(t, c, "CONFIG", "SET", "rdb-skip-unsupported", "no")
	ok(t, m, "SET", "before", "1")
	require.EqualValues(t, 0, m.Do("SETBIT", "k", 0, 1))
	ok(t, m, "SET", "after", "1")
	stopped("SETBIT cannot run here", `key \"k\"`)
	require.Equal(t, []any{"1", "w", resptest.NilBulk}, c.Do("MGET", "before", "k", "after"))
	ok(t, c, "CONFIG", "SET", "rdb-skip-unsupported", "yes")
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port) // it continues there
	caughtUp(t, m, c)
	require.Equal(t, []any{"1", "w", "1"}, c.Do("MGET", "before", "k", "after"))
	require.Equal(t, "0", info(c, "replication", "master_full_copies"))
}

// TestMoveNeedsMemory: neither a copy nor a change takes more memory than maxmemory, and nothing is evicted.
func TestMoveNeedsMemory(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	m.Do("DEBUG", "POPULATE", 20000, "key", 100)
	in := start(t, "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	c := in.dial(t)
	ok(t, c, "SET", "mine", "1")
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	full := func() bool { return strings.Contains(info(c, "replication", "master_link_error"), "maxmemory") }
	require.Eventually(t, full, timeout, time.Millisecond)
	require.Equal(t, "1", c.Do("GET", "mine"))
	require.EqualValues(t, 1, c.Do("DBSIZE"))
	used, _ := strconv.Atoi(info(c, "memory", "used_memory"))
	require.Less(t, used, 1<<20)

	ok(t, c, "CONFIG", "SET", "maxmemory", "10mb", "rdb-skip-unsupported", "yes") // that is no leave to lose keys
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	caughtUp(t, m, c)
	require.EqualValues(t, 20000, c.Do("DBSIZE"))
	for i := range 1000 {
		m.Send("SET", fmt.Sprint("large:", i), strings.Repeat("x", 20000))
	}
	require.Eventually(t, full, timeout, time.Millisecond)
	require.Equal(t, "", info(c, "replication", "master_left_out"))
	require.Equal(t, "0", info(c, "stats", "evicted_keys"))
}

// TestMoveWithPassword: masteruser and masterauth prove who moves, and a copy with a length arrives like one
// with a mark.
func TestMoveWithPassword(t *testing.T) {
	redis := startRedis(t, "--requirepass", "secret", "--repl-diskless-sync", "no")
	m := redis.dial(t)
	ok(t, m, "AUTH", "secret")
	ok(t, m, "ACL", "SETUSER", "mover", "on", ">move", "+psync", "+replconf", "+ping")
	ok(t, m, "SET", "k", "v")
	in := start(t)
	c := in.dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	require.Eventually(t, func() bool {
		return strings.Contains(info(c, "replication", "master_link_error"), "set masterauth, and masteruser")
	}, timeout, time.Millisecond)
	ok(t, c, "CONFIG", "SET", "masteruser", "mover", "masterauth", "move")
	caughtUp(t, m, c)
	require.Equal(t, "v", c.Do("GET", "k"))
	require.NotContains(t, in.log.String(), "move\"")
}

// TestBlockedClientsOfAReplica: a client that waits for a key gets an error when the server begins to follow, as
// in Redis, and takes nothing that the master brings.
func TestBlockedClientsOfAReplica(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	in := start(t)
	c, waiting := in.dial(t), in.dial(t)
	waiting.Send("BLPOP", "l", 0)
	require.Eventually(t, func() bool { return info(c, "clients", "blocked_clients") == "1" }, timeout, time.Millisecond)
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	require.Equal(t, resptest.Error("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"), waiting.Recv())
	requireClosed(t, waiting)
	caughtUp(t, m, c)
	m.Do("RPUSH", "l", "1")
	caughtUp(t, m, c)
	require.Equal(t, []any{"1"}, c.Do("LRANGE", "l", 0, -1))
	require.Equal(t, resptest.Error("READONLY You can't write against a read only replica."), c.Do("BLPOP", "l", 0))
}

// TestWhoWasLeft: the directive replicaof does not bring old keys back after REPLICAOF NO ONE.
func TestWhoWasLeft(t *testing.T) {
	redis, dir := startRedis(t), t.TempDir()
	m := redis.dial(t)
	ok(t, m, "SET", "k", "old")
	directives := []string{"--appendonly", "yes", "--dir", dir, "--replicaof", "127.0.0.1", strconv.Itoa(redis.port)}
	in := start(t, directives...)
	c := in.dial(t)
	caughtUp(t, m, c)
	ok(t, c, "REPLICAOF", "NO", "ONE")
	ok(t, c, "SET", "k", "new")
	in.stop()
	in.wait(t)
	in = start(t, directives...)
	c = in.dial(t)
	require.Equal(t, "new", c.Do("GET", "k"))
	require.Equal(t, "master", info(c, "replication", "role"))
	require.Contains(t, in.log.String(), "replicaof of the configuration has no effect")
}
