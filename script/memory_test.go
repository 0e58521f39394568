package script_test

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"cellserver/resp"
	"cellserver/script"
	"cellserver/script/machine"
	"cellserver/script/scripttest"

	"github.com/stretchr/testify/require"
)

const (
	greedyLimit = 32 << 20
	// uncounted is how many bytes a script may have that are not counted: numbers, frames, and what the
	// collector has not found yet.
	uncounted = 6 << 20
	// atOnce is how many bytes a script may make between two questions that are not counted: an array moves
	// when it grows, and has 16 MB at most. The collector has not found the old one yet.
	atOnce   = 28 << 20
	mostAsks = 500
)

// An observer watches the memory of a script, each time that it asks whether it may go on or make more.
type observer struct {
	t           *testing.T
	e           *script.Engine
	made, asks  int
	credit      int // bytes that are counted and not made yet
	allocated   int
	live        int // before the script
	collectFrom int // collect when the script has made so many bytes
	worst       int
}

func heapBytes(name string) int {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// observe requires that the memory that the script took since the last time was counted before, and that
// all memory that it holds is counted.
func (o *observer) observe() {
	allocated := heapBytes("/gc/heap/allocs:bytes")
	made := o.e.Made()
	o.credit += made - o.made - (allocated - o.allocated)
	require.GreaterOrEqual(o.t, o.credit, -atOnce, "made at once, after %d", made)
	o.made, o.credit = made, max(o.credit, 0)
	if made >= o.collectFrom {
		runtime.GC()
		over := heapBytes("/gc/heap/live:bytes") - o.live - made
		o.worst = max(o.worst, over)
		require.LessOrEqual(o.t, over, uncounted, "in memory, of %d", made)
		o.collectFrom = made + greedyLimit/6
	}
	o.allocated = heapBytes("/gc/heap/allocs:bytes")
	o.asks++
}

// MayMake is [machine.Limits.More].
func (o *observer) MayMake(int) bool {
	o.observe()
	return true
}

// commands answers the commands of greedy scripts.
type commands struct{ script.Caller }

func (commands) Log(int, string) {}

func (commands) Allows([][]byte) (allowed, known bool) { return true, true }

var (
	longBulk  = []byte("$1000000\r\n" + strings.Repeat("x", 1e6) + "\r\n")
	longArray = []byte("*10000\r\n" + strings.Repeat("$-1\r\n", 1e4))
	longError = []byte("-ERR " + strings.Repeat("x", 1e5) + "\r\n")
)

func (commands) Call(args [][]byte, _ int) (reply []byte, stop error) {
	switch string(args[0]) {
	case "bulk":
		return longBulk, nil
	case "array":
		return longArray, nil
	case "error":
		return longError, nil
	}
	return []byte(":0\r\n"), nil
}

// TestAllMemoryIsCounted runs the greedy scripts. All that a script makes is counted before it is made.
func TestAllMemoryIsCounted(t *testing.T) {
	for name, text := range scripttest.Greedy {
		t.Run(name, func(t *testing.T) { runGreedy(t, text) })
	}
}

func runGreedy(t *testing.T, text string) {
	e := script.New(script.Options{Limits: machine.Limits{Bytes: greedyLimit, Steps: 2000}})
	s, err := e.Compile([]byte(text))
	require.NoError(t, err)
	runtime.GC()
	o := &observer{t: t, e: e, live: heapBytes("/gc/heap/live:bytes")}
	o.allocated = heapBytes("/gc/heap/allocs:bytes")
	e.Bound(greedyLimit, o.MayMake)
	var out resp.Writer
	failure := e.Run(s, script.Run{Caller: commands{}, Out: &out, Check: func() error {
		if o.observe(); o.asks > mostAsks {
			return errors.New("ERR enough")
		}
		return nil
	}})
	left := heapBytes("/gc/heap/allocs:bytes") - o.allocated - (greedyLimit - o.made) - o.credit
	require.LessOrEqual(t, left, atOnce, "made at the end")
	t.Logf("%v, asked %d times, at worst %d KB over", failure, o.asks, o.worst>>10)
}

// TestEveryFunctionIsCounted calls each function that a script can see with long texts, large tables and
// numbers, and keeps what it returns.
func TestEveryFunctionIsCounted(t *testing.T) {
	e := script.New(script.Options{})
	const source = `local all = {}
		for name, v in pairs(_G) do
			if type(v) == "function" then all[#all + 1] = name end
			if type(v) == "table" and name ~= "_G" then
				for field, f in pairs(v) do
					if type(f) == "function" then all[#all + 1] = name .. "." .. field end
				end
			end
		end
		return all`
	text := run(t, e, source, script.Run{Caller: commands{}})
	names := strings.Fields(strings.Trim(text, "*[]"))
	require.Greater(t, len(names), 100)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			runGreedy(t, `local s, f = ("x9 "):rep(2e4), function() return "yy" end
				local t, kept = {s, s, 3}, {}
				local with = {{s}, {t}, {7}, {f}, {s, s}, {s, 9}, {t, s}, {t, f}, {f, s}, {9, s},
					{"bulk", s}, {s, ".", s}, {s, "x", f}, {t, 1, s}, {s, 1, -1}, {"s", s}, {"%q", s}, {"=", s}}
				for i = 1, 500 do
					for _, args in ipairs(with) do
						kept[#kept + 1] = {pcall(`+name+`, unpack(args))}
					end
				end`)
		})
	}
}

// TestEndedScriptsKeepNothing: an engine does not refer to what its last scripts have made, at any depth of calls.
func TestEndedScriptsKeepNothing(t *testing.T) {
	e := script.New(script.Options{})
	live := func() int {
		runtime.GC()
		return heapBytes("/gc/heap/live:bytes")
	}
	r := script.Run{Caller: commands{}}
	require.Equal(t, "1", run(t, e, "return 1", r))
	before := live()
	for _, source := range []string{
		`redis.call("echo", string.rep("x", 3e7)) redis.call("ping")`,
		`local s = string.rep("x", 3e7) for _ in s:gmatch("y") do end`,
		`local co = coroutine.create(function() local s = string.rep("x", 3e7) coroutine.yield() return s end)
			coroutine.resume(co)`,
		`local function deep(n)
				if n > 0 then return 1 + deep(n - 1) end
				local s = string.rep("x", 3e7)
				return (function() return #s end)()
			end
			deep(500)`,
	} {
		require.Equal(t, "nil", run(t, e, source, r), source)
		require.Less(t, live()-before, 2<<20, source)
	}
	runtime.KeepAlive(e)
}
