package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
