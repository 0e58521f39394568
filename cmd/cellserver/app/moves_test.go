package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linkFails waits until the error of the link has a text.
func linkFails(t testing.TB, c *resptest.Client, text string) {
	t.Helper()
	require.EventuallyWithT(t, func(now *assert.CollectT) {
		require.Contains(now, info(c, "replication", "master_link_error"), text)
	}, timeout, 5*time.Millisecond)
}

// TestMoveOverTLS: both sides prove who they are, and the link says what to correct if one of them cannot.
func TestMoveOverTLS(t *testing.T) {
	dir, port := t.TempDir(), strconv.Itoa(porttest.Free(t))
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"master", "mover", "other"} {
		certtest.New(t, dir, name)
	}
	redis := startRedis(t, "--tls-port", port, "--tls-cert-file", file("master.crt"), "--tls-key-file", file("master.key"),
		"--tls-ca-cert-file", file("mover.crt"))
	m := redis.dial(t)
	ok(t, m, "SET", "k", "v")
	in := start(t, "--tls-replication", "yes", "--tls-ca-cert-file", file("other.crt"), "--replicaof", "127.0.0.1", port)
	c := in.dial(t)
	linkFails(t, c, "certificate signed by unknown authority: set tls-ca-cert-file")
	ok(t, c, "CONFIG", "SET", "tls-ca-cert-file", file("master.crt"))
	linkFails(t, c, "certificate required: set tls-cert-file and tls-key-file")
	ok(t, c, "CONFIG", "SET", "tls-cert-file", file("other.crt"), "tls-key-file", file("other.key"))
	linkFails(t, c, "unknown certificate authority: set tls-cert-file")
	ok(t, c, "CONFIG", "SET", "tls-replication", "no")
	linkFails(t, c, "set tls-replication yes")
	require.Equal(t, resptest.NilBulk, c.Do("GET", "k"))
	ok(t, c, "CONFIG", "SET", "tls-replication", "yes", "tls-cert-file", file("mover.crt"), "tls-key-file", file("mover.key"))
	caughtUp(t, m, c)
	ok(t, m, "SET", "k", "w")
	caughtUp(t, m, c)
	require.Equal(t, "w", c.Do("GET", "k"))
	ok(t, c, "CONFIG", "SET", "repl-timeout", 1) // a Redis without TLS waits for the end of a line
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	linkFails(t, c, "set tls-replication no")
}

// TestDuringTheCopy does at the time of a copy what an owner may do then. The copy has arrived in part.
func TestDuringTheCopy(t *testing.T) {
	begin := func(t *testing.T, directives ...string) (in *instance, c *resptest.Client, rest chan struct{}) {
		in, rest = start(t, directives...), make(chan struct{})
		c = in.dial(t)
		ok(t, c, "SET", "mine", "1")
		ok(t, c, "REPLICAOF", "127.0.0.1", startHeld(t, rest, resps("SET after 1")))
		require.Eventually(t, func() bool { return info(c, "replication", "master_sync_in_progress") == "1" }, timeout, time.Millisecond)
		return in, c, rest
	}
	moved := func(t *testing.T, c *resptest.Client) {
		t.Helper()
		require.Eventually(t, func() bool { return c.Do("GET", "after") == "1" }, timeout, time.Millisecond)
		require.Equal(t, []any{"v", resptest.NilBulk}, c.Do("MGET", "k", "mine"))
	}
	t.Run("no one", func(t *testing.T) {
		in, c, rest := begin(t)
		ok(t, c, "REPLICAOF", "NO", "ONE")
		close(rest)
		ok(t, c, "SET", "mine", "2")
		require.Equal(t, []any{"2", resptest.NilBulk}, c.Do("MGET", "mine", "k"))
		require.NotContains(t, in.log.String(), "has replaced the keys")
	})
	t.Run("another master", func(t *testing.T) {
		_, c, rest := begin(t)
		redis := startRedis(t)
		m := redis.dial(t)
		ok(t, m, "SET", "other", "1")
		ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
		close(rest)
		caughtUp(t, m, c)
		require.Equal(t, []any{"1", resptest.NilBulk, resptest.NilBulk}, c.Do("MGET", "other", "k", "mine"))
		require.Equal(t, "1", info(c, "replication", "master_full_copies"))
	})
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		in, c, rest := begin(t, "--appendonly", "yes", "--dir", dir, "--save", "3600 1")
		ok(t, c, "SAVE")
		require.Equal(t, resptest.Simple("Background append only file rewriting started"), c.Do("BGREWRITEAOF"))
		require.Eventually(t, func() bool { return info(c, "persistence", "aof_rewrite_in_progress") == "0" }, timeout, time.Millisecond)
		require.Equal(t, resptest.Simple("Background saving started"), c.Do("BGSAVE"))
		require.Equal(t, "1", c.Do("GET", "mine"))
		close(rest)
		moved(t, c)
		ok(t, c, "SAVE")
		in.stop()
		in.wait(t)
		in = start(t, "--appendonly", "yes", "--dir", dir)
		moved(t, in.dial(t))
	})
	t.Run("stop", func(t *testing.T) {
		dir := t.TempDir()
		in, c, _ := begin(t, "--appendonly", "yes", "--dir", dir)
		c.Write(resptest.Command("SHUTDOWN"))
		in.wait(t)
		in = start(t, "--appendonly", "yes", "--dir", dir)
		c = in.dial(t)
		require.Equal(t, []any{"1", resptest.NilBulk}, c.Do("MGET", "mine", "k"))
		require.Equal(t, "slave", info(c, "replication", "role"))
	})
}

// TestRewriteWhileItFollows: CONFIG REWRITE writes whom the server follows and the password, as in Redis. After
// REPLICAOF NO ONE it takes the directive out.
func TestRewriteWhileItFollows(t *testing.T) {
	redis, dir := startRedis(t, "--requirepass", "se cret"), t.TempDir()
	m := redis.dial(t)
	ok(t, m, "AUTH", "se cret")
	file := filepath.Join(dir, "redis.conf")
	require.NoError(t, os.WriteFile(file, []byte("hz 20\n"), 0o600))
	kept := []string{"--appendonly", "yes", "--dir", dir}
	in := startFile(t, file, kept...)
	c := in.dial(t)
	ok(t, c, "CONFIG", "SET", "masterauth", "se cret")
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	caughtUp(t, m, c)
	of := fmt.Sprint("127.0.0.1 ", redis.port)
	require.Equal(t, []any{"replicaof", of}, c.Do("CONFIG", "GET", "replicaof"))
	ok(t, c, "CONFIG", "REWRITE")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "replicaof "+of+"\n")
	again := func() {
		t.Helper()
		in.stop()
		in.wait(t)
		in = startFile(t, file, kept...)
		c = in.dial(t)
	}
	again()
	caughtUp(t, m, c)
	ok(t, c, "REPLICAOF", "NO", "ONE")
	require.Equal(t, []any{"replicaof", ""}, c.Do("CONFIG", "GET", "replicaof"))
	again() // the directive is still there, and has no effect
	require.Contains(t, in.log.String(), "replicaof of the configuration has no effect")
	require.Equal(t, []any{"replicaof", ""}, c.Do("CONFIG", "GET", "replicaof"))
	ok(t, c, "CONFIG", "REWRITE")
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), "replicaof")
	again()
	require.NotContains(t, in.log.String(), "replicaof of the configuration")
}

// TestWritesArrive sends each kind of write to a Redis, which changes many of them before it sends them on.
func TestWritesArrive(t *testing.T) {
	redis := startRedis(t)
	m := redis.dial(t)
	in := start(t)
	c := in.dial(t)
	ok(t, c, "REPLICAOF", "127.0.0.1", redis.port)
	caughtUp(t, m, c)
	for _, part := range []string{`
		SET gone 1
		FLUSHALL
		SET s 1 EX 1000
		SET s2 abc KEEPTTL
		SETEX s3 1000 v
		PSETEX s4 100000 v
		SETNX s5 v
		GETSET s5 w
		GETDEL s5
		GETEX s3 EXAT 33177117420
		INCRBYFLOAT f 1.5
		APPEND s2 def
		SETRANGE s2 2 xyz
		MSETNX m1 1 m2 2
		DECR m1
		SET held 1 GET
		SET held 2 XX PX 100000
		HSET h a 1 b 2
		HINCRBYFLOAT h a 0.5
		HDEL h b
		HSETNX h c 3
		RPUSH l a b c d e
		LINSERT l BEFORE c x
		LREM l 0 a
		LSET l 0 y
		LTRIM l 0 3
		LMOVE l l2 LEFT RIGHT
		RPOPLPUSH l l3
		BLMOVE l l4 LEFT LEFT 1
		BLPOP l2 1
		LMPOP 1 l LEFT COUNT 1
		BRPOPLPUSH l3 l5 1
		SADD t a b c d
		SPOP t
		SPOP t 2
		SMOVE t t2 a
		SADD u a b
		SUNIONSTORE u2 t u
		SINTERSTORE u3 t u
		SDIFFSTORE u4 u t
		ZADD z 1 a 2 b 3 c
		ZADD z GT CH INCR 5 a
		ZINCRBY z 1.5 b
		ZPOPMIN z
		ZRANGESTORE z2 z 0 -1
		ZUNIONSTORE z3 2 z z2 WEIGHTS 2 3
		ZINTERSTORE z4 2 z z2
		ZDIFFSTORE z5 2 z z4
		BZPOPMAX z2 1
		ZMPOP 1 z MAX
		GEOADD g 13.361389 38.115556 Palermo
		EXPIRE h 1000
		PEXPIREAT l4 33177117420000
		EXPIRE z3 100000 NX
		PERSIST s4
		RENAME s2 s6
		RENAMENX s6 s7
		COPY s s8
		COPY h h DB 3
		MOVE m2 2
		EXPIRE u -1
		UNLINK u2
		TOUCH s
		EVAL redis.call('SET',KEYS[1],1);redis.call('EXPIRE',KEYS[1],100);redis.call('SELECT',2);redis.call('SET','in2',1) 1 e
		SELECT 4
		SET four 1
		FLUSHDB
		SET five 1`, `
		SWAPDB 0 4
		SELECT 0
		SET zero 1`,
	} {
		for line := range strings.Lines(strings.TrimSpace(part)) {
			var words []any
			for _, w := range strings.Fields(line) {
				words = append(words, w)
			}
			require.NotEqual(t, fmt.Sprintf("%T", resptest.Error("")), fmt.Sprintf("%T", m.Do(words...)), line)
		}
		m.Do("RESTORE", "restored", 100_000, m.Do("DUMP", "h"))
		require.EqualValues(t, 1, m.Do("WAIT", 1, 60_000))
		caughtUp(t, m, c)
		requireEqualKeys(t, m, c, 16)
		require.Equal(t, "", info(c, "replication", "master_left_out"))
	}
}

// TestWritesOfAReplica: no door of a server that follows another one writes.
func TestWritesOfAReplica(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--http-port", strconv.Itoa(port), "--http-page", "write")
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 100, 60)
	ok(t, c, "REPLICAOF", "127.0.0.1", startFake(t, resps("SET after 1")))
	require.Eventually(t, func() bool { return c.Do("GET", "after") == "1" }, timeout, time.Millisecond)
	before := dump(t, c, 16)
	const readOnly = "READONLY You can't write against a read only replica."
	for _, line := range []string{"CL.THROTTLE a 1 1 1", "CL.WINDOW a 1 1", "CL.SLIDING a 1 1", "CL.LOG a 1 1", "CL.CHECK api a",
		"CL.ACQUIRE a 1 1 h", "CL.RELEASE a h", "CL.ENTER a 1 h", "CL.LEAVE a h OK", "CL.MCHECK 1 api a", "CL.RESERVE api a 1 i 1", "CL.PACE a 1 1 1",
		"CL.LEASE 1 1 CL.CHECK api a", "CL.RULE SET api CL.WINDOW 1 1", "CL.RULE DEL api", "CL.RULE RESET api a"} {
		var words []any
		for _, w := range strings.Fields(line) {
			words = append(words, w)
		}
		require.Equal(t, resptest.Error(readOnly), c.Do(words...), line)
	}
	for _, path := range []string{"/check/api?key=a"} {
		status, body := ask(t, port, path)
		require.Equal(t, 503, status)
		require.Contains(t, body, readOnly)
	}
	require.Equal(t, before, dump(t, c, 16))
}
