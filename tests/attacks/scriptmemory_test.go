package attacks

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/script/scripttest"

	"github.com/stretchr/testify/require"
)

// greedyCalls are scripts whose commands make as much as they can: replies, changes and messages. The key big
// has 5 MB, the hash and the set have 2,000 entries.
var greedyCalls = map[string]string{
	"set":           `local s = string.rep("x", 1e5) for i = 1, 1e9 do redis.call("set", "k" .. i % 2, s) end`,
	"set big":       `local s = string.rep("x", 1e7) for i = 1, 1e9 do redis.call("set", "k", s) end`,
	"set small":     `for i = 1, 1e7 do redis.call("set", "k" .. i % 2, i) end`,
	"hset":          `local s = string.rep("x", 1e5) for i = 1, 1e9 do redis.call("hset", "h", "k" .. i % 2, s) end`,
	"incr":          `for i = 1, 1e7 do redis.call("incr", "k") end`,
	"append":        `for i = 1, 1e9 do redis.call("append", "a", string.rep("x", 1e3)) redis.call("del", "a") end`,
	"setrange":      `for i = 1, 1e9 do redis.call("setrange", "s", 1e6, "x") redis.call("del", "s") end`,
	"copy":          `for i = 1, 1e9 do redis.call("copy", "big", "copy", "replace") end`,
	"set from get":  `for i = 1, 1e9 do redis.call("set", "copy", redis.call("get", "big")) end`,
	"sunionstore":   `for i = 1, 1e9 do redis.call("sunionstore", "other", "set") end`,
	"counters":      `for i = 1, 1e9 do redis.call("incr", "c" .. i % 9) redis.call("pexpire", "c" .. i % 9, 6e4) end`,
	"cl.throttle":   `local s = string.rep("x", 1e5) for i = 1, 1e9 do redis.call("cl.throttle", s, 15, 30, 60) end`,
	"publish":       `local s = string.rep("x", 1e6) for i = 1, 1e9 do redis.call("publish", "k", s) end`,
	"publish small": `for i = 1, 1e9 do redis.call("publish", "k", "x") end`,
	"hgetall":       `local t = {} for i = 1, 1e9 do t[i] = redis.call("hgetall", "hash") end`,
	"hgetall3":      `redis.setresp(3) local t = {} for i = 1, 1e9 do t[i] = redis.call("hgetall", "hash") end`,
	"smembers3":     `redis.setresp(3) local t = {} for i = 1, 1e9 do t[i] = redis.call("smembers", "set") end`,
	"get":           `local t = {} for i = 1, 1e9 do t[i] = redis.call("get", "big") end`,
	"mget":          `for i = 1, 1e9 do redis.call("mget", "big", "big", "big", "big") end`,
	"getrange":      `local t = {} for i = 1, 1e9 do t[i] = redis.call("getrange", "big", 0, 1e6) end`,
	"dump":          `local t = {} for i = 1, 1e9 do t[i] = redis.call("dump", "big") end`,
	"command docs":  `local t = {} for i = 1, 1e9 do t[i] = redis.call("command", "docs") end`,
}

// greedyTime is how long a greedy script runs at most. Its client leaves then.
const greedyTime = 3 * time.Second

// TestScriptsKeepTheirMemory runs all greedy scripts on one server, one after the other, and some of them with
// four clients at a time. The peak of the memory of the server is at most script-memory-limit and 32 MB more
// than before the first of them: garbage of former scripts counts.
func TestScriptsKeepTheirMemory(t *testing.T) {
	const limit = 64 << 20
	s := start(t, "--script-memory-limit", fmt.Sprint(limit), "--loglevel", "warning")
	s.guard(1<<30, limit)
	c := s.dial()
	c.Do("SET", "big", strings.Repeat("x", 5e6))
	for i := range 2000 {
		c.Do("HSET", "hash", fmt.Sprint("field", i), strings.Repeat("y", 100))
		c.Do("SADD", "set", i)
	}
	require.Equal(t, int64(1), c.Do("EVAL", "return 1", 0))
	before := s.resident()
	for _, all := range []map[string]string{greedyCalls, scripttest.Greedy} {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			s.runGreedy(name, all[name], 1, before+limit)
		}
	}
	for _, name := range []string{"cmsgpack nils", "rep many", "nine fields set", "error global", "coroutines wide",
		"closures own", "reply tree"} {
		s.runGreedy(name, scripttest.Greedy[name], 4, before+limit)
	}
}

// runGreedy runs a script for some clients at a time, and compares the peak of the memory with a bound.
func (s *server) runGreedy(name, text string, clients int, bound int64) {
	const spare = 48 << 20 // garbage that the collector has not met yet
	s.forgetPeak()
	ended := make(chan error, clients)
	for range clients {
		c := s.dial()
		c.Send("EVAL", text, 0)
		time.AfterFunc(greedyTime, c.Close)
		go func() {
			_, err := c.TryRecv()
			c.Close()
			ended <- err
		}()
	}
	for range clients {
		<-ended
	}
	_, peak := s.memory()
	s.t.Logf("%d MB over the limit: %s", (peak-bound)>>20, name)
	require.LessOrEqual(s.t, peak, bound+spare, name)
}

// forgetPeak makes the system forget the maximum of the resident memory.
func (s *server) forgetPeak() {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.Cmd.Process.Pid), []byte("5"), 0o600))
}
