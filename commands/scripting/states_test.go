package scripting

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const (
	writes  = "return redis.call('set', KEYS[1], 'v')"
	reads   = "return redis.call('get', KEYS[1])"
	limits  = "return redis.call('cl.throttle', KEYS[1], 0, 1, 60)[1]"
	line    = "#!lua\n"
	noWrite = "#!lua flags=no-writes\n"
	misconf = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
)

// TestScriptsOverMaxmemory: a script reads, and its commands that need memory are errors. Its first line decides for the
// whole script.
func TestScriptsOverMaxmemory(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k old", ok)
	h.Want("CONFIG SET maxmemory 1", ok)
	oom := string(commands.ErrOOM)
	require.Equal(t, failed(oom, writes, "1"), send(h.Client, "EVAL", writes, 1, "k"))
	require.Equal(t, failed(oom, limits, "1"), send(h.Client, "EVAL", limits, 1, "u"))
	require.Equal(t, "old", send(h.Client, "EVAL", reads, 1, "k"))
	require.Equal(t, resptest.Error(oom), send(h.Client, "EVAL", line+reads, 1, "k"))
	require.Equal(t, resptest.Error(oom), send(h.Client, "EVAL_RO", line+reads, 1, "k"))
	require.Equal(t, "old", send(h.Client, "EVAL", noWrite+reads, 1, "k"))
	require.Equal(t, resptest.Simple("OK"), send(h.Client, "EVAL", "#!lua flags=allow-oom\n"+writes, 1, "k"))
	// After its first write a script is not stopped.
	require.Equal(t, resptest.Simple("OK"), send(h.Client, "EVAL", "redis.call('del', 'none') "+writes, 1, "k"))
	h.Want("CONFIG SET maxmemory 0", ok)
	h.Want("GET k", "v")
}

// TestScriptsWhenWritesAreErrors: a script reads, and writes nothing. Limiters go on while the log cannot be written.
func TestScriptsWhenWritesAreErrors(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k old", ok)
	h.Server.SetCondition(server.Condition{SaveFailed: true})
	require.Equal(t, failed(misconf, writes, "1"), send(h.Client, "EVAL", writes, 1, "k"))
	require.Equal(t, failed(misconf, limits, "1"), send(h.Client, "EVAL", limits, 1, "u"))
	require.Equal(t, resptest.Error(misconf), send(h.Client, "EVAL", line+reads, 1, "k"))
	require.Equal(t, "old", send(h.Client, "EVAL", noWrite+reads, 1, "k"))
	require.Equal(t, "old", send(h.Client, "EVAL", reads, 1, "k"))
	h.Server.SetCondition(server.Condition{LogFailed: "no space"})
	log := "MISCONF Errors writing to the AOF file: no space"
	require.Equal(t, failed(log, writes, "1"), send(h.Client, "EVAL", writes, 1, "k"))
	require.Equal(t, failed(log, line+writes, "2"), send(h.Client, "EVAL", line+writes, 1, "k"))
	require.Equal(t, int64(0), send(h.Client, "EVAL", limits, 1, "u"))
	require.Equal(t, int64(1), send(h.Client, "EVAL", line+limits, 1, "u"))
	h.Server.SetCondition(server.Condition{LogFailed: "no space", LogStrict: true})
	require.Equal(t, failed(log, limits, "1"), send(h.Client, "EVAL", limits, 1, "u"))
	require.Equal(t, failed(log, reads, "1"), send(h.Client, "EVAL", reads, 1, "k"))
	h.Server.SetCondition(server.Condition{})
	h.Want("GET k", "old")
}

// TestScriptsWhileWritesArePaused: a script that says that it does not write is not held back.
func TestScriptsWhileWritesArePaused(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT PAUSE 1000 WRITE", ok)
	require.Equal(t, resptest.NilBulk, send(h.Client, "EVAL", noWrite+reads, 1, "k"))
	require.Equal(t, resptest.NilBulk, send(h.Client, "EVAL_RO", reads, 1, "k"))
	for _, source := range []string{reads, line + reads} {
		sendWaiting(h.NewClient(t), "EVAL", source, 1, "k")
	}
}

// TestTrackingOfScripts: the client is told of changes of the keys that its script has read, and of no other declared key.
func TestTrackingOfScripts(t *testing.T) {
	for _, c := range []struct {
		command, source string
		told            []any
	}{
		{"EVAL", reads, []any{"k"}},
		{"EVAL_RO", reads, []any{"k"}},
		{"EVAL", writes, nil},
		{"EVAL_RO", "return 1", nil},
		{"EVAL", "return redis.call('get', 'other')", []any{"other"}},
		{"EVAL", "return redis.call('mget', KEYS[1], 'other')", []any{"k", "other"}},
	} {
		h := servertest.New(t)
		h.Do("HELLO 3")
		h.Want("CLIENT TRACKING ON", ok)
		send(h.Client, c.command, c.source, 1, "k")
		h.Peer.TakePushes()
		other := h.NewClient(t)
		other.Want("SET k 1", ok)
		other.Want("SET other 1", ok)
		var told []any
		for _, push := range h.Peer.TakePushes() {
			told = append(told, push.(resptest.Push)[1].([]any)...)
		}
		require.Equal(t, c.told, told, c.source)
	}
}

// TestWritesOfScriptsAreTold: clients that track a key hear of a script that writes it, once for each script.
func TestWritesOfScriptsAreTold(t *testing.T) {
	h := servertest.New(t)
	h.Do("HELLO 3")
	h.Want("CLIENT TRACKING ON", ok)
	h.Do("MGET k other")
	send(h.NewClient(t), "EVAL", "redis.call('set', KEYS[1], 1) redis.call('set', KEYS[1], 2) redis.call('set', 'other', 3)", 1, "k")
	require.Equal(t, []any{resptest.Push{"invalidate", []any{"k"}}, resptest.Push{"invalidate", []any{"other"}}}, h.Peer.TakePushes())
}

// TestScriptsOnAFollower: a script reads for a READONLY client, and its writes are errors.
func TestScriptsOnAFollower(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 1)
	const readOnly = "READONLY You can't write against a read only replica."
	const elsewhere = "ERR Script attempted to access a non local key in a cluster node"
	moved := resptest.Error("MOVED 15495 10.0.0.2:6379")
	require.Equal(t, moved, send(h.Client, "EVAL", reads, 1, "a"))
	undeclared := "return redis.call('get', 'a')"
	require.Equal(t, failed(elsewhere, undeclared, "1"), send(h.Client, "EVAL", undeclared, 0))
	h.Want("READONLY", ok)
	require.Equal(t, resptest.NilBulk, send(h.Client, "EVAL", reads, 1, "a"))
	require.Equal(t, resptest.NilBulk, send(h.Client, "EVAL", noWrite+reads, 1, "a"))
	require.Equal(t, moved, send(h.Client, "EVAL", line+reads, 1, "a"))
	require.Equal(t, failed(readOnly, writes, "1"), send(h.Client, "EVAL", writes, 1, "a"))
	require.Equal(t, failed(readOnly, limits, "1"), send(h.Client, "EVAL", limits, 1, "a"))
}

// TestErrorStyleOfRedis6 is the directive script-error-style.
func TestErrorStyleOfRedis6(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET script-error-style redis6", ok)
	reply := send(h.Client, "EVAL", "return redis.call('incr', KEYS[1], 'x')", 1, "k").(resptest.Error)
	require.Regexp(t, `^ERR Error running script \(call to f_[0-9a-f]{40}\): @user_script:1: .*Wrong number of args`, string(reply))
	h.Want("CONFIG SET script-error-style redis7", ok)
	source := "return redis.call('incr', KEYS[1], 'x')"
	require.Equal(t, failed("ERR Wrong number of args calling Redis command from script", source, "1"), send(h.Client, "EVAL", source, 1, "k"))
}
