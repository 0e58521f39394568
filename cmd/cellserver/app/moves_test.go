package app

import (
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
