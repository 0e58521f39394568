package tests

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestHammer runs 64 connections on overlapping keys through everything that changes keys. That is transactions,
// expiry, eviction, flushing, swapping and a jumping clock. It is for the race detector, and it requires a reply to
// every command.
func TestHammer(t *testing.T) {
	duration := 8 * time.Second
	if testing.Short() {
		duration = time.Second
	}
	addr := startServer(t, "--maxmemory", "2mb", "--maxmemory-policy", "allkeys-lru")
	first := seed(t)
	deadline := time.Now().Add(duration)
	var wg sync.WaitGroup
	for i := range 64 {
		c := resptest.Dial(t, addr)
		r := rand.New(rand.NewSource(first + int64(i)))
		wg.Go(func() {
			for time.Now().Before(deadline) {
				hammerOnce(t, c, r)
			}
		})
	}
	wg.Wait()
	c := resptest.Dial(t, addr)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	require.Equal(t, resptest.Simple("OK"), c.Do("FLUSHALL"))
	require.Equal(t, int64(0), c.Do("DBSIZE"))
}

// hammerOnce runs one random command or transaction. A closed connection fails the test.
func hammerOnce(t *testing.T, c *resptest.Client, r *rand.Rand) {
	switch r.Intn(20) {
	case 0:
		watched := fmt.Sprint("k", r.Intn(50))
		c.Do("WATCH", watched)
		c.Do("MULTI")
		for range r.Intn(6) {
			c.Do(hammerCommand(r)...)
		}
		c.Do("EXEC")
	case 1:
		for _, cmd := range [][]any{
			{"MULTI"}, {"ZREMRANGEBYSCORE", "log", "-inf", r.Intn(1000)}, {"ZCARD", "log"},
			{"ZADD", "log", r.Intn(2000), r.Int63()}, {"EXPIRE", "log", 10}, {"EXEC"},
		} {
			c.Do(cmd...)
		}
	default:
		c.Do(hammerCommand(r)...)
	}
}

func hammerCommand(r *rand.Rand) []any {
	key, other := fmt.Sprint("k", r.Intn(50)), fmt.Sprint("k", r.Intn(50))
	commands := [][]any{
		{"CL.THROTTLE", key, 5, 100, 1}, {"CL.THROTTLE", key, 5, 100, 1, -1}, {"CL.PROBE", key, 5, 100, 1},
		{"INCR", key}, {"SET", key, fmt.Sprint(r.Int63()), "PX", 1 + r.Intn(50)}, {"SET", key, string(make([]byte, r.Intn(20_000)))},
		{"APPEND", key, "tail"}, {"GET", key}, {"MGET", key, other}, {"MSET", key, 1, other, "two"}, {"DEL", key, other},
		{"RENAME", key, other}, {"COPY", key, other, "REPLACE"}, {"EXPIRE", key, r.Intn(3)}, {"PEXPIRE", key, r.Intn(30)}, {"PERSIST", key},
		{"ZADD", "z" + key, r.Float64(), r.Intn(300)}, {"ZPOPMIN", "z" + key, 3}, {"ZUNIONSTORE", "z" + other, 2, "z" + key, "z" + other},
		{"ZRANGE", "z" + key, 0, -1, "WITHSCORES"}, {"SCAN", 0, "COUNT", 100}, {"RANDOMKEY"}, {"DBSIZE"}, {"TTL", key}, {"OBJECT", "ENCODING", key},
		{"CLIENT", "LIST"}, {"INFO"}, {"SLOWLOG", "GET"}, {"CONFIG", "GET", "max*"}, {"MEMORY", "USAGE", key},
	}
	rare := [][]any{{"FLUSHALL"}, {"FLUSHDB"}, {"SWAPDB", 0, 1}, {"SELECT", r.Intn(2)}, {"KEYS", "*"}, {"DEBUG", "CLOCK", "ADVANCE", r.Int63n(1e9)}}
	if r.Intn(100) == 0 {
		return rare[r.Intn(len(rare))]
	}
	return commands[r.Intn(len(commands))]
}
