package server_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// hot are the commands of limiters. They allocate only the values that they store.
var hot = []struct {
	name  string
	setup string
	args  []any
}{
	{"throttle", "", []any{"CL.THROTTLE", "key", "15", "30", "60"}},
	{"hotkey", "", []any{"CL.THROTTLE", "hot", "10000000", "1000000", "1", "1"}},
	{"limited", "CL.THROTTLE full 0 1 1000000", []any{"CL.THROTTLE", "full", "0", "1", "1000000"}},
	{"options", "", []any{"CL.THROTTLE", "key", "15", "30", "60", "1", "MS"}},
	{"window", "", []any{"CL.WINDOW", "key", "30", "60"}},
	{"sliding", "", []any{"CL.SLIDING", "key", "30", "60"}},
	{"check", "CL.RULE SET two CL.THROTTLE 1000000 30 60 AND CL.THROTTLE 1000000 1000 3600", []any{"CL.CHECK", "two", "key"}},
	{"incr", "", []any{"INCR", "key"}},
	{"set", "", []any{"SET", "key", "1234567"}},
	{"text", "", []any{"SET", "key", "some text"}},
	{"get", "", []any{"GET", "key"}},
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	for _, c := range hot {
		for _, proto := range []string{"2", "3"} {
			t.Run(c.name+"/RESP"+proto, func(t *testing.T) {
				h := servertest.New(t)
				h.Do("HELLO", proto)
				if c.setup != "" {
					h.Do(c.setup)
				}
				sent := servertest.Pipeline(16, c.args...)
				servertest.Exchange(t, h.Session, sent) // creates keys and grows buffers
				cmd := commands.Lookup([]byte(c.args[0].(string)))
				before := h.Server.Calls(cmd)
				servertest.NoAllocs(t, 1000, func() {
					h.Clock.Advance(1e6)
					servertest.Exchange(t, h.Session, sent)
				})
				require.EqualValues(t, 16*1001, h.Server.Calls(cmd)-before, "with one run to warm up")
			})
		}
	}
}

// BenchmarkPipeline measures a command from the bytes of its request to the bytes of its reply,
// without sockets: alone, and in a pipeline.
func BenchmarkPipeline(b *testing.B) {
	for _, c := range hot {
		for _, depth := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%s/%d", c.name, depth), func(b *testing.B) {
				h := servertest.New(b)
				if c.setup != "" {
					h.Do(c.setup)
				}
				sent := servertest.Pipeline(depth, c.args...)
				servertest.Exchange(b, h.Session, sent)
				b.ReportAllocs()
				for b.Loop() {
					h.Clock.Advance(1e6)
					servertest.Exchange(b, h.Session, sent)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*depth), "ns/command")
			})
		}
	}
}

// BenchmarkThrottleParallel measures parallel clients: each with its own key, and all with one key.
func BenchmarkThrottleParallel(b *testing.B) {
	for _, one := range []bool{false, true} {
		b.Run(map[bool]string{false: "keys", true: "key"}[one], func(b *testing.B) {
			h := servertest.New(b)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				c := h.NewClient(b)
				sent := servertest.Pipeline(16, "CL.THROTTLE", hotKey(one, c.State.ID()), "10000000", "1000000", "1")
				for pb.Next() {
					servertest.Exchange(b, c.Session, sent)
				}
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*16), "ns/command")
		})
	}
}

// hotKey returns the shared key, or the key of one client.
func hotKey(one bool, client int64) string {
	if one {
		return "hot"
	}
	return fmt.Sprintf("key:%012d", client)
}

// BenchmarkThrottle8 measures eight clients on any number of cores: each with its own key, and all
// with one key, with and without a pipeline.
func BenchmarkThrottle8(b *testing.B) {
	const clients = 8
	for _, depth := range []int{1, 16} {
		for _, one := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/%d", map[bool]string{false: "keys", true: "key"}[one], depth), func(b *testing.B) {
				h := servertest.New(b)
				b.ReportAllocs()
				var all sync.WaitGroup
				begin := make(chan struct{})
				for range clients {
					c := h.NewClient(b)
					sent := servertest.Pipeline(depth, "CL.THROTTLE", hotKey(one, c.State.ID()), "10000000", "1000000", "1")
					servertest.Exchange(b, c.Session, sent)
					all.Go(func() {
						<-begin
						for range b.N {
							servertest.Exchange(b, c.Session, sent)
						}
					})
				}
				b.ResetTimer()
				close(begin)
				all.Wait()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*clients*depth), "ns/command")
			})
		}
	}
}

// slidingLogMulti is a transaction that keeps a log of 100 actions. It drops the oldest ones,
// counts, and adds one.
func slidingLogMulti(tick int) (sent []byte) {
	for _, args := range [][]any{
		{"MULTI"}, {"ZREMRANGEBYSCORE", "log", "-inf", tick - 100}, {"ZCARD", "log"},
		{"ZADD", "log", tick, tick}, {"EXPIRE", "log", 60}, {"EXEC"},
	} {
		sent = append(sent, resptest.Command(args...)...)
	}
	return sent
}

// slidingLogOne is the command that keeps the same log.
func slidingLogOne(int) (sent []byte) {
	return resptest.Command("CL.LOG", "log", 100, "0.0001013")
}

// BenchmarkSlidingLog measures that transaction of six commands, and that command.
func BenchmarkSlidingLog(b *testing.B) {
	b.Run("transaction", func(b *testing.B) { benchmarkLog(b, slidingLogMulti) })
	b.Run("command", func(b *testing.B) { benchmarkLog(b, slidingLogOne) })
}

func benchmarkLog(b *testing.B, request func(tick int) []byte) {
	h := servertest.New(b)
	ticks := make([][]byte, 10_000)
	for i := range ticks {
		ticks[i] = request(i)
	}
	b.ReportAllocs()
	next := len(ticks)
	for b.Loop() {
		if next == len(ticks) {
			b.StopTimer()
			h.Do("DEL log")
			for next = 0; next < 100; next++ {
				h.Clock.Advance(1013)
				servertest.Exchange(b, h.Session, ticks[next])
			}
			b.StartTimer()
		}
		h.Clock.Advance(1013)
		servertest.Exchange(b, h.Session, ticks[next])
		next++
	}
	require.Equal(b, int64(100), h.Do("ZCARD log"))
}

// BenchmarkManyKeys measures CL.THROTTLE and a rule in a pipeline of 64, with more keys than the cache of the processor
// holds.
func BenchmarkManyKeys(b *testing.B) {
	b.Run("throttle", func(b *testing.B) {
		manyKeys(b, func(key string) []byte { return resptest.Command("CL.THROTTLE", key, "1000000", "30", "60") })
	})
	b.Run("rule", func(b *testing.B) {
		manyKeys(b, func(key string) []byte { return resptest.Command("CL.CHECK", "api", key) })
	})
}

func manyKeys(b *testing.B, request func(key string) []byte) {
	const keys, depth = 100_000, 64
	h := servertest.New(b)
	h.Do("CL.RULE SET api CL.THROTTLE 1000000 30 60")
	random := rand.New(rand.NewPCG(1, 2))
	batches := make([][]byte, keys/depth)
	for i := range batches {
		for range depth {
			batches[i] = append(batches[i], request(fmt.Sprintf("key:%012d", random.IntN(keys)))...)
		}
		servertest.Exchange(b, h.Session, batches[i])
	}
	b.ReportAllocs()
	next := 0
	for b.Loop() {
		servertest.Exchange(b, h.Session, batches[next])
		next = (next + 1) % len(batches)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*depth), "ns/command")
}
