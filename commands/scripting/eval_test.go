package scripting

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/script"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// eval sends a script and returns the reply.
func send(h *servertest.Client, command, script string, keys int, rest ...any) any {
	h.T.Helper()
	return h.Do(append([]any{command, script, keys}, rest...)...)
}

// failed is the error of a script.
func failed(text, source string, line string) any {
	return resptest.Error(text + " script: " + script.SHA([]byte(source)) + ", on @user_script:" + line + ".")
}

func TestEval(t *testing.T) {
	h := servertest.New(t)
	for _, c := range []struct {
		script string
		keys   int
		args   []any
		want   any
	}{
		{"return 1", 0, nil, 1},
		{"return {1, 2.9, 'x', true, false, nil, 3}", 0, nil, []any{1, 2, "x", 1, nil}},
		{"return {KEYS[1], ARGV[1], #KEYS, #ARGV}", 1, []any{"k", "a", "b"}, []any{"k", "a", 1, 2}},
		{"return redis.call('set', KEYS[1], 'v')", 1, []any{"k"}, ok},
		{"return server.call('GET', KEYS[1])", 1, []any{"k"}, "v"},
		{"return redis.call('mget', 'k', 'none')", 0, nil, []any{"v", nil}},
		{"return redis.call('cL.tHroTTle', KEYS[1], 1, 2, 60)", 1, []any{"user"}, []any{0, 2, 1, -1, 30}},
		{"return redis.status_reply('FINE')", 0, nil, resptest.Simple("FINE")},
		{"return {err = 'MINE bad'}", 0, nil, commands.Error("MINE bad")},
		{"return redis.pcall('get').err", 0, nil, "ERR Wrong number of args calling Redis command from script"},
		{"return redis.call('select', 3)", 0, nil, ok},
		{"return redis.call('dbsize')", 0, nil, 2},
		{"return redis.REDIS_VERSION .. redis.REDIS_VERSION_NUM", 0, nil, "7.0.15458767"},
	} {
		args := append([]any{"EVAL", c.script, c.keys}, c.args...)
		require.Equal(t, h.Wire(c.want), h.Do(args...), c.script)
		args[0], args[1] = "evalsha", strings.ToUpper(script.SHA([]byte(c.script)))
		if c.script != "return redis.call('cL.tHroTTle', KEYS[1], 1, 2, 60)" {
			require.Equal(t, h.Wire(c.want), h.Do(args...), c.script)
		}
	}
}

// TestErrorsOfScripts compares errors with those of Redis 7.0.
func TestErrorsOfScripts(t *testing.T) {
	h := servertest.New(t)
	h.Want("EVAL 'return 1' a", commands.ErrNotInteger)
	h.Want("EVAL 'return 1' -1", errNegativeKeys)
	h.Want("EVAL 'return 1' 2 a", errTooManyKeys)
	h.Want("EVALSHA x 0", commands.ErrNoScript)
	h.Want("EVALSHA 0 x", commands.ErrNoScript)
	h.Want("EVALSHA ffffffffffffffffffffffffffffffffffffffff 0", commands.ErrNoScript)
	h.Want("EVAL 'x y' 0", commands.Error("ERR Error compiling script (new function): user_script:1: '=' expected near 'y'"))
	h.Want("SET s text", ok)
	for source, text := range map[string]string{
		"return redis.call('nope')":              "ERR Unknown Redis command called from script",
		"return redis.call('config', 'nope')":    "ERR Unknown Redis command called from script",
		"return redis.call('XADD', 's', '*')":    "ERR Unknown Redis command called from script: 'XADD' (cellserver has no streams: docs/libraries.md says which queues run without them)",
		"return redis.call('setbit')":            "ERR Unknown Redis command called from script: 'setbit' (cellserver does not have it: docs/migrating.md lists all such commands)",
		"return redis.call('get')":               "ERR Wrong number of args calling Redis command from script",
		"return redis.call('subscribe', 'x')":    "ERR This Redis command is not allowed from script",
		"return redis.call('eval', 'x', 0)":      "ERR This Redis command is not allowed from script",
		"return redis.call('incr', 's')":         "ERR value is not an integer or out of range",
		"return redis.call('zadd', 's', 1, 'x')": "WRONGTYPE Operation against a key holding the wrong kind of value",
		"return nothing.x":                       "ERR user_script:1: Script attempted to access nonexistent global variable 'nothing'",
	} {
		require.Equal(t, failed(text, source, "1"), send(h.Client, "EVAL", source, 0), source)
	}
	writes := "return redis.call('set', 'x', 'y')"
	require.Equal(t, failed("ERR Write commands are not allowed from read-only scripts.", writes, "1"), send(h.Client, "EVAL_RO", writes, 0))
	require.Equal(t, failed("ERR Write commands are not allowed from read-only scripts.", writes, "1"),
		h.Do("EVALSHA_RO", script.SHA([]byte(writes)), 0))
	flagged := "#!lua flags=no-writes\n" + writes
	require.Equal(t, failed("ERR Write commands are not allowed from read-only scripts.", flagged, "2"), send(h.Client, "EVAL", flagged, 0))
	h.Want("EVAL_RO '#!lua\nreturn 1' 0", commands.Error("ERR Can not execute a script with write flag using *_ro command."))
	h.Want("EXISTS x", 0)
}

// TestScriptsKeepTheDatabase: SELECT of a script ends with it.
func TestScriptsKeepTheDatabase(t *testing.T) {
	h := servertest.New(t)
	send(h.Client, "EVAL", "redis.call('select', 1) redis.call('set', 'k', 'v') error('stop')", 0)
	h.Want("EXISTS k", 0)
	h.Want("SELECT 1", ok)
	h.Want("EXISTS k", 1)
}

// TestScriptsInTransactions runs scripts in MULTI.
func TestScriptsInTransactions(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	h.Want("SET a 1", servertest.Queued)
	h.Want("EVAL \"redis.call('incr', 'a') return redis.call('incr', KEYS[1])\" 1 b", servertest.Queued)
	h.Want("EVAL \"error('x')\" 0", servertest.Queued)
	h.Want("GET a", servertest.Queued)
	reply := h.Do("EXEC").([]any)
	require.Equal(t, h.Wire([]any{ok, 1}), reply[:2])
	require.Equal(t, "2", reply[3])
}

// TestScriptsAreAtomicForObservers: all that a script writes is one transaction.
func TestScriptsAreWatched(t *testing.T) {
	h := servertest.New(t)
	other := h.NewClient(t)
	h.Want("WATCH a", ok)
	send(other, "EVAL", "redis.call('set', KEYS[1], 1)", 1, "a")
	h.Want("MULTI", ok)
	h.Want("GET a", servertest.Queued)
	require.Equal(t, resptest.NilArray, h.Do("EXEC"))
}

// TestScriptMemoryLimit changes how much the next script may make. An engine that has run already takes the new bound.
func TestScriptMemoryLimit(t *testing.T) {
	h := servertest.New(t)
	const source = "return #string.rep('x', 2000000)"
	h.Want("CONFIG GET script-memory-limit", []any{"script-memory-limit", "268435456"})
	require.Equal(t, int64(2_000_000), send(h.Client, "EVAL", source, 0))
	h.Want("CONFIG SET script-memory-limit 1mb", ok)
	require.Equal(t, failed("OOM script made more than 1048576 bytes of strings and tables", source, "1"), send(h.Client, "EVAL", source, 0))
	h.Want("CONFIG SET script-memory-limit 4mb", ok)
	require.Equal(t, int64(2_000_000), send(h.Client, "EVAL", source, 0))
}

// TestACommandBeginsAgainInAScript: a command that has begun its reply before it finds that it takes long
// begins again.
func TestACommandBeginsAgainInAScript(t *testing.T) {
	h := servertest.New(t)
	h.Do("SET", "large", strings.Repeat("x", 8<<20))
	h.Session.SetMayOffload(true)
	h.Send(resptest.Command("EVAL", "local r = redis.call('mget', 'none', 'large') return #r[2]", 0))
	h.Session.SetMayOffload(false)
	for st := h.Session.Resume(); st == resp.Flush; {
		st = h.Session.Resume()
	}
	require.Equal(t, ":8388608\r\n", string(h.Session.Output()))
}
