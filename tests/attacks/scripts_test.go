package attacks

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// scriptMemory is what a script may use; docs/operating.md says so.
const scriptMemory = 256 << 20

// hostile are scripts that never end, or that ask for more memory than there is. Those that end by themselves reply with an
// error, all others are killed.
var hostile = map[string]string{
	"endless":           "while true do end",
	"endless pcall":     "while true do pcall(error, 'x') end",
	"endless coroutine": "while true do coroutine.wrap(function() coroutine.yield() end)() end",
	"endless calls":     "while true do redis.call('PING') end",
	"endless errors":    "while true do redis.pcall('GET') end",
	"one string":        "return string.rep('x', 1073741824)",
	"doubled string":    "local s = 'x' while true do s = s .. s end",
	"kept strings":      "local t = {} while true do t[#t+1] = string.rep('x', 100000) .. #t end",
	"table":             "local t = {} for i = 1, 1e12 do t[i] = i end",
	"tables":            "local t = {} while true do t = {t, {}} end",
	"far index":         "local t = {} for i = 1, 1e12 do t[i * 1e9] = i end",
	"fields":            "local t = {} for i = 1, 1e12 do t['f' .. i] = true end",
	"recursion":         "local function f() return 1 + f() end return f()",
	"tail calls":        "local function f() return f() end return f()",
	"nested pcall":      "local function f() return pcall(f) end while true do f() end",
	"pattern":           "return string.find(string.rep('a', 100000), string.rep('a-', 200) .. 'b')",
	"greedy pattern":    "return string.rep('a', 50000):match('.*.*.*.*b')",
	"gsub":              "return (string.rep('x', 1e6):gsub('x', string.rep('y', 1e6)))",
	"concat":            "local t = {} for i = 1, 1000 do t[i] = 'x' end return table.concat(t, string.rep('y', 1e7))",
	"format":            "local t = {} while true do t[#t+1] = string.format('%99d%99d', 1, 2) end",
	"sort":              "local t = {} for i = 1, 1e6 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end",
	"unpack":            "return unpack({}, 1, 1e9)",
	"json":              "local t = {} for i = 1, 1e5 do t = {t} end return cjson.encode(t)",
	"json text":         "return cjson.decode(string.rep('[', 1e7))",
	"msgpack values":    `return #{cmsgpack.unpack(string.rep("\192", 1e7))}`,
	"long errors": `local s = string.rep('x', 1e6) local t = {}
		while true do t[#t+1] = select(2, pcall(collectgarbage, s)) end`,
	"msgpack":         "local t = {} for i = 1, 24 do t = {t, t} end return cmsgpack.pack(t)",
	"struct":          "return struct.pack(string.rep('i8', 1e6), 1)",
	"long joins":      long + "return loadstring('local s = ... return ' .. string.rep('s..', 190) .. 's')(s)",
	"json strings":    long + "return cjson.encode(t)",
	"msgpack strings": long + "return cmsgpack.pack(t)",
	"struct strings":  long + "return struct.pack(string.rep('s', 1000), unpack(t))",
	"quoted":          long + "return string.format(string.rep('%q', 1000), unpack(t))",
	"reply":           "local t = {} for i = 1, 24 do t = {t, t} end return t",
	"deep reply":      "local t = {} for i = 1, 1e6 do t = {t} end return t",
	"log":             "while true do redis.log(redis.LOG_WARNING, string.rep('x', 1e6)) end",
	"writes":          "local i = 0 while true do i = i + 1 redis.call('SET', 'key' .. i % 1000, string.rep('x', 100000)) end",
	"wide call":       "local t = {} for i = 1, 7000 do t[i] = 'k' .. i end while true do redis.call('EXISTS', unpack(t)) end",
}

// long makes a text of 10 MB, and a table that has it a thousand times.
const long = "local s = string.rep('\\1', 1e7) local t = {} for i = 1, 1000 do t[i] = s end "

// scriptTime is how long a script runs that does not end.
const scriptTime = 300 * time.Millisecond

// TestHostileScripts runs each script of hostile. Meanwhile no PING of another client takes longer than 100 ms, besides the time
// that the system needs for the memory of the longest string. Memory stays within maxmemory, the bound of a script and 64 MB, and the bound or SCRIPT KILL ends the script.
func TestHostileScripts(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			quick(t, sessionWait, func() time.Duration { return runHostile(t, text, name != "writes") - memoryTime(t, scriptMemory/2) })
		})
	}
}

// quick repeats an attack until no other client waits too long, or sessionTries times. A busy machine makes one
// wait now and then.
func quick(t *testing.T, bound time.Duration, attack func() (longest time.Duration)) {
	t.Helper()
	for n := range sessionTries {
		longest := attack()
		t.Logf("PING %v", longest)
		if longest <= bound {
			return
		}
		require.Less(t, n, sessionTries-1, "others waited")
	}
}

// memoryTime returns how long the system takes now to give a process new memory.
func memoryTime(t *testing.T, size int) time.Duration {
	begun := time.Now()
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
	took := time.Since(begun)
	require.NoError(t, syscall.Munmap(b))
	return took
}

// runHostile runs a script on a server of its own. It returns how long another client waited at most. As in Redis, the
// server does not kill a script that has written.
func runHostile(t *testing.T, text string, mayKill bool) (longest time.Duration) {
	s := start(t, "--maxmemory", "64mb", "--busy-reply-threshold", "100", "--loglevel", "warning")
	defer s.Cmd.Process.Kill()
	done := s.guard(1<<30, scriptMemory, sessionOutput)
	c, admin, other := s.dial(), s.dial(), s.watch()
	ended := make(chan any, 1)
	go func() {
		c.Send("EVAL", text, 0)
		reply, _ := c.TryRecv()
		ended <- reply
	}()
	var reply any
	select {
	case reply = <-ended:
	case <-time.After(scriptTime):
		require.Eventually(t, func() bool {
			said := fmt.Sprint(admin.Do("SCRIPT", "KILL")) // NOTBUSY until the script has begun
			select {
			case reply = <-ended: // also because maxmemory is reached
			default:
			}
			return reply != nil || !mayKill && strings.Contains(said, "UNKILLABLE")
		}, patience, 50*time.Millisecond)
	}
	_, _, longest = other.waits()
	t.Logf("%.100q", fmt.Sprint(reply))
	done()
	if mayKill {
		require.Equal(t, "0", s.info("command_panics"))
		require.Equal(t, int64(1), s.dial().Do("EVAL", "return 1", 0), "the next script runs")
	}
	return longest
}

// TestManyLargeScripts runs 60 scripts at a time that want 100 MB each. All scripts share one bound, so those that come too
// late get an error. Before, each had a bound of its own.
func TestManyLargeScripts(t *testing.T) {
	const clients = 60
	s := start(t, "--maxmemory", "64mb", "--loglevel", "warning")
	done := s.guard(4<<30, scriptMemory, clients<<17)
	const text = "local t = {} for i = 1, 50 do t[i] = string.rep('x', 1e6) .. i end for i = 1, 3e7 do end return redis.call('INCR', KEYS[1])"
	var all []*resptest.Client
	for i := range clients {
		c := s.dial()
		c.Send("EVAL", text, 1, fmt.Sprint("key:", i))
		all = append(all, c)
	}
	ended := map[string]int{}
	for _, c := range all {
		reply, err := c.TryRecv()
		require.NoError(t, err)
		ended[fmt.Sprint(reply)[:1]]++
	}
	t.Log(ended)
	done()
	require.Positive(t, ended["1"], "nobody ended")
	require.Equal(t, int64(1), s.dial().Do("EVAL", "return string.rep('x', 200000000):len() / 200000000", 0), "all memory is back")
}

// TestEndlessScripts runs 64 scripts at a time that have no end. Meanwhile other clients get their replies,
// and run scripts. SCRIPT KILL ends all of them. Scripts whose clients have left end by themselves.
func TestEndlessScripts(t *testing.T) {
	const scripts = 64
	s := start(t, "--loglevel", "warning")
	begin := func() (all []*resptest.Client) {
		for i := range scripts {
			c := s.dial()
			c.Send("EVAL", "while true do end", 1, fmt.Sprint("key:", i))
			all = append(all, c)
		}
		return all
	}
	admin := s.dial()
	quick(t, sessionWait, func() time.Duration {
		all, other := begin(), s.watch()
		time.Sleep(scriptTime)
		require.Equal(t, int64(1), admin.Do("EVAL", "return 1", 0))
		_, p99, _ := other.waits()
		replies := make(chan string, scripts)
		for _, c := range all {
			go func() {
				reply, err := c.TryRecv()
				replies <- fmt.Sprint(reply, err)
			}()
		}
		require.Eventually(t, func() bool { // a script that has not begun is not killed
			admin.Do("SCRIPT", "KILL")
			return len(replies) == scripts
		}, patience, 50*time.Millisecond)
		for range scripts {
			require.Contains(t, <-replies, "SCRIPT KILL")
		}
		return p99
	})
	for _, c := range begin() {
		c.Close()
	}
	for i := range scripts {
		key := fmt.Sprint("key:", i)
		require.Eventually(t, func() bool {
			return admin.Do("EXISTS", key) == int64(0)
		}, patience, time.Millisecond)
	}
	require.Eventually(t, func() bool {
		return strings.Contains(fmt.Sprint(admin.Do("SCRIPT", "KILL")), "NOTBUSY")
	}, patience, time.Millisecond)
}

// TestLongScriptTexts sends sources that are hard to compile, 64 KB each.
func TestLongScriptTexts(t *testing.T) {
	s := start(t, "--maxmemory", "64mb")
	s.guard(1<<30, scriptMemory)
	n := sessionBytes
	for name, text := range map[string]string{
		"brackets":  strings.Repeat("(", n),
		"tables":    "return " + strings.Repeat("{", n/2) + strings.Repeat("}", n/2),
		"functions": strings.Repeat("local function f() ", n/20),
		"operators": "return 1" + strings.Repeat("..1", n/3),
		"minus":     "return " + strings.Repeat("- ", n/2) + "1",
		"locals":    strings.Repeat("local a ", n/8),
		"if":        strings.Repeat("if 1 then ", n/10) + strings.Repeat("end ", n/10),
		"long text": "return [" + strings.Repeat("=", n/2) + "[",
		"comments":  strings.Repeat("--[[]]", n/6),
	} {
		other := s.watch()
		c := s.dial()
		for range 20 {
			c.Do("EVAL", text+fmt.Sprint(" --", time.Now().UnixNano()), 0)
		}
		_, p99, longest := other.waits()
		t.Logf("%s: PING p99 %v, longest %v", name, p99, longest)
	}
	s.calm(func(_, p99 time.Duration) bool { return p99 <= 20*time.Millisecond })
	s.alive()
	require.Equal(t, "0", s.info("command_panics"))
	require.Equal(t, resptest.Simple("OK"), s.dial().Do("SCRIPT", "FLUSH"))
}
