package attacks

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestManyDatabases starts a server with a hundred thousand databases. Each took 50 KB before it had a key: 4.7 GB
// together (Redis: 55 MB). Now a database takes memory when it is used, and gives it back with its last key.
func TestManyDatabases(t *testing.T) {
	directives := []string{"--databases", "100000", "--appendonly", "yes"}
	quick(t, sessionWait, func() time.Duration { return useManyDatabases(start(t, directives...)) })
	useManyDatabases(startRedis(t, directives...))
}

// useManyDatabases uses databases of a server. It returns the 99th percentile of what a PING of another client takes.
func useManyDatabases(s *server) time.Duration {
	t := s.t
	s.guard(600 << 20)
	now, _ := s.memory()
	t.Logf("memory without keys: %d MB", now>>20)
	require.Less(t, now, int64(80<<20))

	other, n := s.watch(), rounds(2000, 20_000)
	var requests bytes.Buffer
	for db := range n {
		fmt.Fprintf(&requests, "SELECT %d\r\nGET k%d\r\nDEL k%d\r\n", 99_999-db, db, db)
	}
	s.sendAll(requests.Bytes(), 3*n, "")
	used, _ := s.memory()
	t.Logf("memory after commands in %d databases: %d MB", n, used>>20)
	require.Less(t, used, now+64<<20)

	c := s.dial()
	ok := resptest.Simple("OK")
	require.Equal(t, ok, c.Do("SELECT", 70_000))
	require.Equal(t, ok, c.Do("SET", "k", "v"))
	require.Equal(t, ok, c.Do("SWAPDB", 70_000, 12))
	require.Equal(t, ok, c.Do("SAVE"))
	c.Do("BGREWRITEAOF")
	c.Do("INFO", "keyspace")
	require.Equal(t, ok, c.Do("FLUSHALL"))
	p50, p99, longest := other.waits()
	t.Logf("PING of a bystander: p50 %v, p99 %v, longest %v", p50, p99, longest)
	s.alive()
	return p99
}
