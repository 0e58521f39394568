package script_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"cellserver/script"
	"cellserver/script/machine"

	"github.com/stretchr/testify/require"
)

// TestTextsAreCountedBeforeTheyAreMade joins a text of 1 MB a thousand times in every way there is. With a bound of 8 MB no
// script takes more than a few times the bound. Before, table.concat, gsub and cjson.encode made the text first.
func TestTextsAreCountedBeforeTheyAreMade(t *testing.T) {
	const bound = 8 << 20
	e := script.New(script.Options{Limits: machine.Limits{Bytes: bound, Steps: 10000}})
	for _, end := range []string{
		"return table.concat(t, s)", "return (string.rep('x', 1000):gsub('x', s))", "return (string.rep('x', 1000):gsub('x', function() return s end))",
		"return (string.rep('x', 1000):gsub('x', {x = s}))", "return (s:gsub('.+', string.rep('%0', 1000)))", "return cjson.encode(t)", "return cmsgpack.pack(t)",
		"return cmsgpack.pack(unpack(t))", "return struct.pack(string.rep('s', 1000), unpack(t))", "return string.format(string.rep('%q', 1000), unpack(t))",
		"return string.format(string.rep('%s', 1000), unpack(t))", "return loadstring('local s = ... return ' .. string.rep('s..', 190) .. 's')(s)",
	} {
		s, err := e.Compile([]byte("local s = string.rep('\\1', 1e6) local t = {} for i = 1, 1000 do t[i] = s end " + end))
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := answer(e, s, script.Run{})
		runtime.ReadMemStats(&after)
		require.Contains(t, got, "OOM script made more than", end)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*bound), end)
	}
}

// TestLargeRepliesAsk returns a small table whose reply has 16 million elements: the script asks whether it may go on.
func TestLargeRepliesAsk(t *testing.T) {
	e := script.New(script.Options{})
	s, err := e.Compile([]byte("local t = {} for i = 1, 24 do t = {t, t} end return t"))
	require.NoError(t, err)
	asked := 0
	got := answer(e, s, script.Run{Check: func() error {
		if asked++; asked == 10 {
			return errors.New("ERR enough")
		}
		return nil
	}})
	require.Equal(t, "-ERR enough", got)
	require.Equal(t, 10, asked)
	require.Equal(t, "-OOM the reply of the script is too large", answer(e, s, script.Run{}))
}

// TestPowersAsk computes powers without a loop: the script asks whether it may go on.
func TestPowersAsk(t *testing.T) {
	e := script.New(script.Options{Limits: machine.Limits{Bytes: machine.DefaultLimits.Bytes, Steps: 100}})
	s, err := e.Compile([]byte("local a = 2 " + strings.Repeat("a = a ^ 0.9 ", 1000)))
	require.NoError(t, err)
	asked := 0
	answer(e, s, script.Run{Check: func() error {
		asked++
		return nil
	}})
	require.GreaterOrEqual(t, asked, 9)
}

// TestReadersAsk: functions that read a long text, or pass the deleted fields of a table, count the work. So a script
// that calls them asks often whether it may go on, and another one gets its turn.
func TestReadersAsk(t *testing.T) {
	e := script.New(script.Options{})
	asks := func(source string) (asked int) {
		answer(e, compiled(t, e, source), script.Run{Caller: commands{}, Check: func() error {
			asked++
			return nil
		}})
		return asked
	}
	for _, call := range []string{
		"string.find('a', s)", "string.find(s, '2', 1, true)", "tonumber(s)", "tonumber(s, 36)",
		"local n = s + 1", "local n = -s", "math.abs(s)",
		"pcall(redis.log, s, '')", "pcall(cjson.decode, s .. ' ')",
	} {
		require.Greater(t, asks("local s = string.rep('1', 3e5) for i = 1, 100 do "+call+" end"), 10, call)
	}
	const near = "local s, at = string.rep('a ', 3e5), 1 for i = 1, 500 do at = s:find('%s', at) + 1 end"
	require.Zero(t, asks(near), "a pattern that is found at once")
	const deleted = "local ignore, t = function() end, {} for i = 1, 2e4 do t['k' .. i] = 1 end " +
		"for i = 1, 2e4 do t['k' .. i] = nil end "
	before := asks(deleted)
	for _, call := range []string{"table.maxn(t)", "table.foreach(t, ignore)", "cjson.encode(t)", "cmsgpack.pack(t)"} {
		require.Greater(t, asks(deleted+"for i = 1, 500 do "+call+" end"), before+10, call)
	}
	require.Greater(t, asks(deleted+"local r = {} for i = 1, 500 do r[i] = {map = t} end return r"), before+10)
}

func compiled(t *testing.T, e *script.Engine, source string) *script.Script {
	t.Helper()
	s, err := e.Compile([]byte(source))
	require.NoError(t, err, source)
	return s
}
