package script_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/script"
	"cellserver/script/machine"

	"github.com/stretchr/testify/require"
)

// A store is a caller with a few commands.
type store struct {
	values map[string]string
	calls  []string
	logged []string
}

func (s *store) Call(args [][]byte, resp int) (reply []byte, stop error) {
	s.calls = append(s.calls, string(bytes.Join(args, []byte(" "))))
	switch strings.ToUpper(string(args[0])) {
	case "SET":
		s.values[string(args[1])] = string(args[2])
		return []byte("+OK\r\n"), nil
	case "GET":
		v, ok := s.values[string(args[1])]
		if !ok {
			return []byte("$-1\r\n"), nil
		}
		return fmt.Appendf(nil, "$%d\r\n%s\r\n", len(v), v), nil
	case "MGET":
		reply = fmt.Appendf(nil, "*%d\r\n", len(args)-1)
		for _, key := range args[1:] {
			one, _ := s.Call([][]byte{[]byte("GET"), key}, resp)
			reply = append(reply, one...)
		}
		return reply, nil
	case "SCORE":
		if resp == 3 {
			return []byte(",1.5\r\n"), nil
		}
		return []byte("$3\r\n1.5\r\n"), nil
	case "WRONG":
		return []byte("-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"), nil
	}
	return []byte("-ERR Unknown Redis command called from script\r\n"), nil
}

func (s *store) Log(level int, text string) {
	s.logged = append(s.logged, fmt.Sprint(level, " ", text))
}

func (s *store) Allows(args [][]byte) (allowed, known bool) {
	return string(args[0]) != "FORBIDDEN", string(args[0]) != "NONE"
}

func newStore() *store { return &store{values: map[string]string{}} }

// run runs a script, and returns its reply in one line.
func run(t *testing.T, e *script.Engine, source string, r script.Run) string {
	t.Helper()
	if r.Caller == nil {
		r.Caller = newStore()
	}
	s, err := e.Compile([]byte(source))
	require.NoError(t, err, source)
	return answer(e, s, r)
}

// answer runs a script that is compiled, and returns its reply in one line.
func answer(e *script.Engine, s *script.Script, r script.Run) string {
	w := &line{}
	r.Out = w
	if failure := e.Run(s, r); failure != nil {
		return "-" + failure.Text
	}
	return w.text
}

// A line shows a reply in one line.
type line struct {
	text string
	open []aggregate
}

// An aggregate is one whose elements are not all there.
type aggregate struct {
	kind  string
	left  int
	items []string
}

func (w *line) add(text string) {
	for n := len(w.open); n > 0; n-- {
		a := &w.open[n-1]
		a.items = append(a.items, text)
		if a.left--; a.left > 0 {
			return
		}
		text = a.kind + "[" + strings.Join(a.items, " ") + "]"
		w.open = w.open[:n-1]
	}
	w.text = text
}

func (w *line) begin(kind string, n int) {
	if n == 0 {
		w.add(kind + "[]")
		return
	}
	w.open = append(w.open, aggregate{kind: kind, left: n})
}

func (w *line) Null()                        { w.add("nil") }
func (w *line) Bool(v bool)                  { w.add(map[bool]string{true: "#1", false: "#0"}[v]) }
func (w *line) Int(n int64)                  { w.add(fmt.Sprint(n)) }
func (w *line) Double(f float64)             { w.add(fmt.Sprint(",", f)) }
func (w *line) BigNumber(digits string)      { w.add(digits) }
func (w *line) Bulk(b []byte)                { w.add(string(b)) }
func (w *line) Simple(text string)           { w.add("+" + text) }
func (w *line) Error(text string)            { w.add("-" + text) }
func (w *line) Verbatim(format, text string) { w.add(format + ":" + text) }
func (w *line) Array(n int)                  { w.begin("*", n) }
func (w *line) Map(n int)                    { w.begin("%", 2*n) }
func (w *line) Set(n int)                    { w.begin("~", n) }

func newEngine() *script.Engine {
	return script.New(script.Options{Version: "7.0.15", VersionNum: 0x7000f})
}

func TestCalls(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"return redis.call('SET', KEYS[1], ARGV[1])", "+OK"},
		{"redis.call('SET', 'k', 1.5) return redis.call('GET', 'k')", "1.5"},
		{"redis.call('SET', 'k', 0.1) return redis.call('GET', 'k')", "0.10000000000000001"},
		{"redis.call('SET', 'k', 2^53) return redis.call('GET', 'k')", "9007199254740992"},
		{"redis.call('SET', 'k', 1e17) return redis.call('GET', 'k')", "1e+17"},
		{"redis.call('SET', 'k', -0.0) return redis.call('GET', 'k')", "-0"},
		{"return redis.call('SET', 'k', 'v').ok", "OK"},
		{"return redis.call('GET', 'none') == false", "1"},
		{"redis.call('SET', 'b', 'x') return redis.call('MGET', 'a', 'b', 'c')", "*[nil x nil]"},
		{"local n = 0 for _, v in pairs(redis.call('MGET', 'a', 'b')) do n = n + 1 end return n", "2"},
		{"return redis.call('WRONG')", "-WRONGTYPE Operation against a key holding the wrong kind of value script: SHA, on @user_script:1."},
		{"return redis.pcall('WRONG')", "-WRONGTYPE Operation against a key holding the wrong kind of value"},
		{"return redis.pcall('WRONG').err", "WRONGTYPE Operation against a key holding the wrong kind of value"},
		{"return {pcall(redis.call, 'WRONG')}", "*[nil WRONGTYPE Operation against a key holding the wrong kind of value]"},
		{"return server.call('SET', 'k', 'v')", "+OK"},
		{"return redis.call('SCORE')", "1.5"},
		{"redis.setresp(3) return redis.call('SCORE').double", "1"},
		{"redis.setresp(3) return redis.call('SCORE')", ",1.5"},
		{"redis.setresp(3) return {true, false}", "*[#1 #0]"},
		{"return redis.acl_check_cmd('GET', 'x')", "1"},
		{"return redis.acl_check_cmd('FORBIDDEN')", "nil"},
		{"return redis.acl_check_cmd('NONE')", "-ERR Invalid command passed to redis.acl_check_cmd() script: SHA, on @user_script:1."},
		{"\n\nreturn redis.call('nothing')", "-ERR Unknown Redis command called from script script: SHA, on @user_script:3."},
		{"#!lua\nreturn redis.call('nothing')", "-ERR Unknown Redis command called from script script: SHA, on @user_script:2."},
	} {
		e := newEngine()
		got := run(t, e, c.source, script.Run{Keys: [][]byte{[]byte("key")}, Args: [][]byte{[]byte("arg")}})
		require.Equal(t, strings.ReplaceAll(c.want, "SHA", script.SHA([]byte(c.source))), got, c.source)
	}
}

func TestLog(t *testing.T) {
	s := newStore()
	run(t, newEngine(), "redis.log(redis.LOG_WARNING, 'a', 5, {}, 'b')", script.Run{Caller: s})
	require.Equal(t, []string{"3 a 5 b"}, s.logged)
}

func TestErrorsInTheStyleOfRedis6(t *testing.T) {
	for source, want := range map[string]string{
		"error('x')":                      "-ERR Error running script (call to f_SHA): @user_script:1: user_script:1: x",
		"return redis.call('nothing')":    "-ERR Error running script (call to f_SHA): @user_script:1: ERR Unknown Redis command called from script",
		"return redis.error_reply('ONE')": "-ONE",
		"return redis.call()":             "-ERR Error running script (call to f_SHA): @user_script:1: @user_script: 1: Please specify at least one argument for this redis lib call",
	} {
		got := run(t, newEngine(), source, script.Run{Style: script.Redis6})
		require.Equal(t, strings.ReplaceAll(want, "SHA", script.SHA([]byte(source))), got, source)
	}
}

func TestFirstLine(t *testing.T) {
	for source, want := range map[string]script.Flags{
		"return 1":         0,
		"#!lua\nreturn 1":  script.HasLine,
		"#!lua \nreturn 1": script.HasLine,
		"#!lua flags=no-writes,allow-stale\nreturn 1":                                script.HasLine | script.NoWrites | script.AllowStale,
		"#!lua flags=no-writes\r\nreturn 1":                                          script.HasLine | script.NoWrites,
		"#!lua flags=\"no-writes\"\nreturn 1":                                        script.HasLine | script.NoWrites,
		"#!lua flags=allow-key-locking\nreturn 1":                                    script.HasLine | script.AllowKeyLocking,
		"#!lua flags=allow-oom,no-cluster,allow-cross-slot-keys flags=\nreturn true": script.HasLine | script.AllowOOM | script.NoCluster | script.AllowCrossSlotKeys,
	} {
		flags, _, err := script.ParseFlags([]byte(source))
		require.NoError(t, err, source)
		require.Equal(t, want, flags, source)
	}
	for source, want := range map[string]string{
		"#!lua":                          "Invalid script shebang",
		"#!js\nreturn 1":                 "Unexpected engine in script shebang: #!js",
		"#!lua flags=no-reads\nreturn 1": "Unexpected flag in script shebang: no-reads",
		"#!lua flags=no-writes, allow-oom\nreturn 1": "Unexpected flag in script shebang: ",
		"#!lua flags=,\nreturn 1":                    "Unexpected flag in script shebang: ",
		"#!lua flags=\"no-writes\nreturn":            "Invalid engine in script shebang",
		"#!lua name=x\nreturn 1":                     "Unknown lua shebang option: name=x",
		"#!lua flags=no-writes x\nreturn":            "Unknown lua shebang option: x",
	} {
		_, _, err := script.ParseFlags([]byte(source))
		require.EqualError(t, err, want, source)
	}
}

// Nothing of one run remains in the next run.
func TestNothingLeaksFromOneRunToTheNext(t *testing.T) {
	e := newEngine()
	for _, first := range []string{
		"KEYS.x = 1 KEYS[3] = 'c' ARGV.y = 2 setmetatable(KEYS, {__index=function() return 'leak' end})",
		"rawset(KEYS, 'x', 1) table.insert(ARGV, 'more')", "table.remove(KEYS) table.remove(ARGV) KEYS.x = 1 ARGV[2.5] = 1",
		"KEYS[1] = nil KEYS[-1] = 1 ARGV[true] = 1", "KEYS.x = 1 KEYS.x = nil KEYS[1000] = 1 KEYS[1000] = nil", "KEYS[1] = 'd' ARGV[1] = nil",
		"cjson.encode_max_depth(1) cjson.encode_number_precision(2) cjson.encode_sparse_array(true)",
		"redis.setresp(3)",
		"math.randomseed(5) math.random()",
		"string.x = 1", "x = 1", "_G.x = 1", "rawset(_G, 'x', 1)", "getmetatable('').x = 1", "redis.x = 1",
		"error('a')", "local function f() return f() + 1 end f()", "return ('x'):rep(1e10)",
		"local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co)",
		"local co = coroutine.wrap(function() error('x') end) co()",
		"local f = loadstring('return 1') f()",
	} {
		for keys, want := range map[string]string{"k": "1=k", "kl": "1=k 2=l 1=m"} {
			run(t, e, first, script.Run{Keys: [][]byte{[]byte("a"), []byte("b")}, Args: [][]byte{[]byte("c")}})
			next := script.Run{Keys: [][]byte{[]byte("k")}}
			if len(keys) == 2 { // as many as before
				next = script.Run{Keys: [][]byte{[]byte("k"), []byte("l")}, Args: [][]byte{[]byte("m")}}
			}
			got := run(t, e, `local t = {}
				for k, v in pairs(KEYS) do t[#t+1] = k .. '=' .. v end
				for k, v in pairs(ARGV) do t[#t+1] = k .. '=' .. v end
				return {t, tostring(KEYS.x), tostring(rawget(_G, 'x')), tostring(string.x), tostring(getmetatable('').x), tostring(redis.x), true,
					cjson.encode({{{1/3}}}), tostring(getmetatable(KEYS)), tostring(coroutine.running())}`, next)
			require.Equal(t, "*[*["+want+"] nil nil nil nil nil 1 [[[0.33333333333333]]] nil nil]", got, first)
		}
	}
}

// TestRandomNumbersDiffer: limiters make members of sorted sets unique by a random number. A seed holds for its run only.
func TestRandomNumbersDiffer(t *testing.T) {
	e := newEngine()
	seen := map[string]bool{}
	for range 100 {
		seen[run(t, e, "return math.random(1000000000)", script.Run{})] = true
		seeded := run(t, e, "math.randomseed(42) return math.random(1000000000)", script.Run{})
		require.Equal(t, "744525001", seeded, "the number of Redis")
	}
	require.Greater(t, len(seen), 95)
}

func TestScriptsAreCached(t *testing.T) {
	e := script.New(script.Options{Scripts: 2})
	one, err := e.Compile([]byte("return 1"))
	require.NoError(t, err)
	again, err := e.Compile([]byte("return 1"))
	require.NoError(t, err)
	require.Same(t, one, again)
	require.Equal(t, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", one.SHA)
	for _, source := range []string{"return 2", "return 3"} {
		_, err := e.Compile([]byte(source))
		require.NoError(t, err)
	}
	require.Nil(t, e.Cached(one.SHA), "the script that was used least is forgotten")
	require.Equal(t, "1", answer(e, one, script.Run{Caller: newStore()}), "a script that is forgotten still runs")
	e.Flush()
	require.Nil(t, e.Cached(script.SHA([]byte("return 3"))))
}

var errStop = errors.New("ERR Script killed by user with SCRIPT KILL...")

// harmful are scripts that take all they can get. Each must end soon with an error.
var harmful = []string{
	"while true do end",
	"repeat until false",
	"for i = 1, 1/0 do end",
	"local function f() return f() end return f()",
	"while true do pcall(function() while true do end end) end",
	"local function f() pcall(f) return f() end f()",
	"while true do pcall(error) end",
	"local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end",
	"while true do local ok = coroutine.resume(coroutine.create(function() while true do end end)) end",
	"local t = setmetatable({}, {__index=function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end",
	"return ('x'):rep(1e9)",
	"return ('x'):rep(2e9)",
	"local s = 'x' while true do s = s .. s end",
	"local s = 'x' while true do s = s:rep(10) end",
	"local s = ('x'):rep(1e6) local t = {} while true do t[#t+1] = s:upper() end",
	"local t = {} for i = 1, 1e9 do t[i] = i end",
	"local t = {} for i = 1, 1e9 do t[i] = {} end",
	"local t = {} for i = 1, 1e9 do t['k'..i] = i end",
	"local t = {} for i = 1, 1e9 do t[i * 1000] = i end",
	"local t = {} for i = 1, 1e9 do table.insert(t, 1, i) end",
	"local t = {} for i = 1, 1e9 do local u = {[1000000] = 1} t[i] = u end",
	"local t = {} for i = 1, 1e9 do local k = 1000000 local u = {[k] = 1} t[i] = u end",
	"local t = {} for i = 1, 1e9 do local u = {} u[1000000] = 1 t[i] = u end",
	"local t = {} for i = 1, 1e9 do t = {t} end",
	"local t = {} for i = 1, 1e9 do t = {x=t, y={}} end",
	"local t = {} for i = 1, 1e9 do t = function() return t end end",
	"local t = {} for i = 1, 1e9 do t[#t+1] = coroutine.create(function() end) end",
	"local function f(...) return f(1, ...) end f()",
	"local function f(n) return {f(n + 1)} end f(1)",
	"local function f(n) local co = coroutine.wrap(function() return f(n + 1) end) return co() end f(1)",
	"local function f(n) return (('x'):gsub('x', function() return f(n + 1) end)) end f(1)",
	"local t = {} for i = 1, 100 do t[i] = i end while true do table.sort(t, function(a, b) return a < b end) end",
	"local t = {} for i = 1, 1e5 do t[i] = i end while true do for i = #t, 1, -1 do t[i] = nil end for i = 1, 1e5 do t[i] = i end end",
	"local t = {} for i = 1, 3e5 do t['k'..i] = i end for i = 1, 3e5 do t['k'..i] = nil end while true do next(t) end",
	"return (('a'):rep(1e5) .. 'b'):find(('a*'):rep(50) .. 'c')",
	"return (('a'):rep(1e6)):find('.-.-.-.-b')",
	"return (('a'):rep(1e6)):match(('(a*)'):rep(30) .. 'b')",
	"return ('('):rep(1e6):find(('%b()'):rep(10))",
	"return ('a'):rep(1e6):gsub('a', ('x'):rep(1e4))",
	"return string.format('%99d', 1):rep(1e8)",
	"local s = ('%s'):rep(100) while true do s = string.format(s, unpack({s, s, s, s, s, s, s, s, s, s}, 1, 100)) end",
	"local t = {} for i = 1, 7000 do t[i] = ('x'):rep(1e4) end while true do table.concat(t) end",
	"local t = {} for i = 1, 1e5 do t[i] = i end while true do cjson.encode(t) end",
	"local s = '[' .. ('1,'):rep(1e6) .. '1]' while true do cjson.decode(s) end",
	"return cjson.decode(('['):rep(1e6))",
	"local s = cmsgpack.pack(('x'):rep(1e6)) local t = {} while true do t[#t+1] = cmsgpack.unpack(s) end",
	"return cmsgpack.unpack('\\221\\255\\255\\255\\255')",
	"return cmsgpack.unpack(('\\145'):rep(1e6))",
	"return struct.pack('c2147483647', 'x')",
	"return struct.pack(('!32xd'):rep(1e6), 1)",
	"return struct.unpack(('b'):rep(1e6), ('x'):rep(1e6))",
	"while true do loadstring('local a = ' .. ('1+'):rep(1000) .. '1') end",
	"while true do loadstring(('x = 1 '):rep(1e4)) end",
	"local t = {} t[1] = t t[2] = t return t",
	"local t = {'x'} for i = 1, 40 do t = {t, t} end return t",
	"local t = {} for i = 1, 1e5 do t = {t} end return t",
	"while true do redis.pcall('nothing') end",
	"while true do redis.sha1hex(('x'):rep(1e6)) end",
	"error(setmetatable({}, {__tostring=function() while true do end end}))",
	"return setmetatable({}, {__index=function() while true do end end}).x",
	"while true do local ok, e = pcall(error, {}) end",
	"while true do xpcall(function() error('x') end, function() error('y') end) end",
	"while true do collectgarbage() end",
	"while true do tostring({}) end",
	"while true do for w in ('a b c'):gmatch('%a') do end end",
	"local t = {} for i = 1, 1e9 do t[#t + 1] = ('x'):sub(1, 1) end",
}

// maxTime is how long a harmful script may take on a slow machine that does other work too.
const maxTime = time.Minute

func TestScriptsCannotHarm(t *testing.T) {
	for _, source := range harmful {
		start := time.Now()
		e := newEngine()
		check := func() error {
			if time.Since(start) > 100*time.Millisecond {
				return errStop
			}
			return nil
		}
		got := run(t, e, source, script.Run{Check: check})
		require.Less(t, time.Since(start), maxTime, source)
		require.Equal(t, "-", got[:1], "%s\n%.200s", source, got)
		require.Equal(t, "5", run(t, e, "return 2 + 3", script.Run{}), "after %s", source)
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Logf("%v: %s: %.100s", took, source, got)
		}
	}
}

// TestSourcesCannotHarm compiles sources that are large in every way.
func TestSourcesCannotHarm(t *testing.T) {
	repeat := strings.Repeat
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, source := range map[string]string{
		"long":         repeat(" ", 2<<20),
		"parentheses":  "return " + repeat("(", 1e5),
		"tables":       "return " + repeat("{", 1e5),
		"functions":    repeat("function f() ", 5e4),
		"blocks":       repeat("do ", 1e5),
		"loops":        repeat("while true do ", 5e4),
		"nots":         "return " + repeat("not ", 1e5) + "1",
		"minuses":      "return " + repeat("- ", 1e5) + "1",
		"sums":         "return 1" + repeat("+x", 1e5),
		"powers":       "return 1" + repeat("^x", 1e5),
		"strings":      "return 'a'" + repeat("..'a'", 1e5),
		"fields":       "return a" + repeat(".a", 1e5),
		"calls":        "return a" + repeat("()", 1e5),
		"arguments":    "return f(1" + repeat(",1", 1e5) + ")",
		"locals":       numbered(1e5, "local a%d "),
		"upvalues":     numbered(150, "local a%d ") + "return function() return 0" + numbered(150, "+a%d") + " end",
		"constants":    "return {" + numbered(1e5, "'k%d',") + "}",
		"numbers":      "return {" + numbered(1e5, "%d,") + "}",
		"items":        "return {" + repeat("1,", 4e5) + "}",
		"globals":      numbered(5e4, "x = g%d "),
		"statements":   repeat("local a = 1 ", 8e4),
		"ifs":          repeat("if x then ", 1e5),
		"elseifs":      "if x then " + repeat("elseif x then ", 5e4) + "end",
		"names":        "local " + numbered(1e5, "a%d,") + "b",
		"targets":      numbered(1e5, "a%d,") + "b = 1",
		"parameters":   "return function(" + numbered(1e5, "a%d,") + "b) end",
		"expressions":  "return " + repeat("a and ", 1e5) + "a",
		"long string":  "return [" + repeat("=", 1e5) + "[",
		"comment":      "--[[" + repeat("x", 1e6),
		"open string":  "'" + repeat("x", 1e6),
		"long number":  "return " + repeat("1", 1e6),
		"loop of much": "while true do " + repeat("local a = 1 ", 8e4) + " end",
	} {
		start := time.Now()
		_, err := newEngine().Compile([]byte(source))
		if name != "long number" {
			require.Error(t, err, name)
			require.Less(t, len(err.Error()), 1<<21, name)
		}
		require.Less(t, time.Since(start), maxTime, name)
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Logf("%v: %s: %.100v", took, name, err)
		}
	}
}

// TestAStoppedScriptCannotGoOn stops scripts that try to catch the stop.
func TestAStoppedScriptCannotGoOn(t *testing.T) {
	for _, source := range []string{
		"while true do pcall(function() while true do end end) end",
		"pcall(function() while true do end end) redis.call('SET', 'a', 'after')",
		"xpcall(function() while true do end end, function() redis.call('SET', 'a', 'after') end)",
		"coroutine.resume(coroutine.create(function() while true do end end)) redis.call('SET', 'a', 'after')",
		"pcall(coroutine.wrap(function() pcall(function() while true do end end) end)) redis.call('SET', 'a', 'after')",
		"pcall(string.rep, 'x', 1e10) redis.call('SET', 'a', 'after')",
		"pcall(string.gsub, 'x', 'x', function() while true do end end) redis.call('SET', 'a', 'after')",
		"pcall(table.sort, {1,2,3}, function() while true do end end) redis.call('SET', 'a', 'after')",
		"setmetatable({}, {__index=function() while true do end end}).x = pcall(function() while true do end end) redis.call('SET', 'a', 'after')",
	} {
		s, asked := newStore(), 0
		got := run(t, newEngine(), source, script.Run{Caller: s, Check: func() error {
			if asked++; asked > 3 {
				return errStop
			}
			return nil
		}})
		require.Equal(t, "-", got[:1], source)
		require.Empty(t, s.calls, source)
	}
}

func TestLimitsAreOptions(t *testing.T) {
	e := script.New(script.Options{Limits: machine.Limits{Bytes: 1 << 20, Steps: 100}})
	require.Contains(t, run(t, e, "return ('x'):rep(2000000)", script.Run{}), "OOM script made more than 1048576 bytes")
	require.Contains(t, run(t, e, "return #ARGV[1]", script.Run{Args: [][]byte{make([]byte, 2<<20)}}), "OOM")
	require.Equal(t, "3", run(t, e, "return #ARGV[1]", script.Run{Args: [][]byte{[]byte("abc")}}))
}

// FuzzScripts runs any text as a script: it must end, and leave the engine as it was.
func FuzzScripts(f *testing.F) {
	for _, source := range harmful {
		f.Add(source)
	}
	f.Add("return redis.call('GET', KEYS[1])")
	f.Add("#!lua flags=no-writes\nreturn {ok='x'}")
	f.Fuzz(func(t *testing.T, source string) {
		e := script.New(script.Options{Limits: machine.Limits{Bytes: 8 << 20, Steps: 1000}})
		asked := 0
		s, err := e.Compile([]byte(source))
		if err != nil {
			return
		}
		answer(e, s, script.Run{Keys: [][]byte{[]byte("k")}, Caller: newStore(), Check: func() error {
			if asked++; asked > 100 {
				return errStop
			}
			return nil
		}})
		require.Equal(t, "5", run(t, e, "return 2 + 3", script.Run{}))
	})
}
