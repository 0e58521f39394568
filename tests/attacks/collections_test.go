package attacks

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// collectionLines are the worst requests on the collections of collections. CI has the first ones.
var collectionLines = []string{
	"SUNIONSTORE d s t", "SINTERCARD 2 s t", "SMEMBERS s", "SPOP s 5000", "SRANDMEMBER i -5000", "SSCAN i 0", "HGETALL h", "HVALS w", "HMGET w a b",
	"HRANDFIELD c 1000", "HSCAN c 0", "COPY w v REPLACE",
	"SINTERSTORE d s t", "SDIFFSTORE d s t", "SUNION s t", "SPOP i 300", "SRANDMEMBER s -5000", "SSCAN s 0 COUNT 50000", "SMOVE s d m00001", "HGETALL w",
	"HRANDFIELD h -5000 WITHVALUES", "HSCAN h 0 COUNT 50000", "HINCRBY c f00001 1", "HDEL c f00002", "COPY h g REPLACE", "RENAME h g", "DUMP h",
}

// TestLargeCollections sends 64 KB of a request on hashes and sets. They have 50,000 members, and some are as compact as the
// directives allow. No PING of another client takes longer than 100 ms, and memory stays within maxmemory, the limit of
// outputs and 64 MB.
func TestLargeCollections(t *testing.T) {
	for _, line := range collectionLines[:rounds(12, len(collectionLines))] {
		t.Run(line, func(t *testing.T) {
			quick(t, sessionWait, func() time.Duration { return attackCollections(t, line) })
		})
	}
}

// attackCollections runs one attack. It returns how long another client waited at most.
func attackCollections(t *testing.T, line string) (longest time.Duration) {
	s := start(t, "--maxmemory", "128mb", "--client-output-buffer-limit", fmt.Sprintf("normal %d 0 0", sessionOutput),
		"--hash-max-listpack-entries", "65536", "--set-max-intset-entries", "65536", "--appendonly", "yes")
	defer s.Cmd.Process.Kill()
	collections(t, s)
	done := s.guard(1<<30, sessionOutput)
	admin, other := s.dial(), s.watch()
	const quiet = 4 // connections: the two, that of the guard, and that of collections
	require.Eventually(t, func() bool { return clients(t, admin) == quiet }, patience, time.Millisecond)
	nc := s.connect()
	go io.Copy(io.Discard, nc)
	_, err := nc.Write(repeated([]string{line}))
	require.NoError(t, err)
	drain(t, admin, nc, quiet)
	_, _, longest = other.waits()
	done()
	require.Equal(t, "0", s.info("command_panics"))
	return longest
}

// collections makes the large set s, the sets of integers i and t, the large hash h, the compact hash c, and the hash w with
// two long values.
func collections(t *testing.T, s *server) {
	c := s.dial()
	fill := func(command, key, member string, n int, more ...any) {
		for i := 0; i < n; i += 500 {
			args := []any{command, key}
			for j := i; j < i+500; j++ {
				args = append(append(args, fmt.Sprintf(member, j)), more...)
			}
			require.Equal(t, int64(500), c.Do(args...))
		}
	}
	fill("SADD", "s", "m%05d", 50_000)
	fill("SADD", "t", "%d", 50_000)
	fill("SADD", "i", "%d", 2_000)
	fill("HSET", "h", "f%05d", 50_000, "value")
	fill("HSET", "c", "f%05d", 2_000, "value")
	value := bytes.Repeat([]byte("x"), 4<<20)
	require.Equal(t, int64(2), c.Do("HSET", "w", "a", value, "b", value))
}

// TestManyReservations reserves under as many ids as 64 KB of requests hold, again and again on one key, and settles none.
func TestManyReservations(t *testing.T) {
	quick(t, sessionWait, func() time.Duration { return reserveMany(t) })
}

// reserveMany makes the reservations at a new server. It returns the 99th percentile of what a PING of another client takes.
func reserveMany(t *testing.T) time.Duration {
	s := start(t, "--maxmemory", "64mb")
	done := s.guard(512 << 20)
	c := s.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("CL.RULE", "SET", "r", "CL.LOG", 1_000_000, 86400, "AND", "CL.WINDOW", 1_000_000, 86400, "AND", "CL.THROTTLE", 1_000_000, 1_000_000, 60))
	other, refused := s.watch(), 0
	for n := range rounds(20_000, 300_000) {
		c.Send("CL.RESERVE", "r", "key", 1, fmt.Sprintf("%064d", n), 86400)
		if n%500 != 499 {
			continue
		}
		for range 500 {
			if _, is := c.Recv().(resptest.Error); is {
				refused++
			}
		}
	}
	p50, p99, longest := other.waits()
	t.Logf("%d refused; PING: p50 %v, p99 %v, longest %v", refused, p50, p99, longest)
	done()
	s.alive()
	require.Equal(t, "0", s.info("command_panics"))
	return p99
}
