package scripting

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const busy commands.Error = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."

const unkillable commands.Error = "UNKILLABLE Sorry the script already executed write commands against the " +
	"dataset. You can either wait the script termination or kill the server in a hard way using the " +
	"SHUTDOWN NOSAVE command."

// endless runs a script that has no end on another goroutine, as the transport does. It returns when the script has given up
// its locks. The reply comes when the script has ended.
func endless(t *testing.T, h *servertest.Harness, script string, keys ...any) (reply chan []byte) {
	_, reply = endlessOf(t, h, script, keys...)
	return reply
}

// endlessOf is endless, with the client.
func endlessOf(t *testing.T, h *servertest.Harness, script string, keys ...any,
) (*servertest.Client, chan []byte) {
	c := h.NewClient(t)
	c.Session.SetMayOffload(true)
	c.Send(resptest.Command(append([]any{"EVAL", script, len(keys)}, keys...)...))
	require.Equal(t, resp.Offload, c.Status)
	reply := make(chan []byte, 1)
	go func() {
		c.Session.Resume()
		reply <- c.Session.Output()
	}()
	probe := h.NewClient(t)
	for {
		select {
		case early := <-reply:
			require.Fail(t, "the script has ended", "%s", early)
		default:
		}
		probe.Send(resptest.Command("GET", keys[0]))
		if probe.Status == resp.Retry {
			break
		}
		probe.Session.Sent()
	}
	return c, reply
}

// awaitBusy moves the clock until a script is busy. A script that has its locks may begin, and be listed, only after the clock
// has moved.
func awaitBusy(h *servertest.Harness) {
	for h.Do("SHUTDOWN") != any(resptest.Error(busy)) {
		h.Advance(5000e6)
	}
}

func TestScriptKill(t *testing.T) {
	h := servertest.New(t)
	h.Want("SCRIPT KILL", commands.Error("NOTBUSY No scripts in execution right now."))
	h.Want("SET other v", ok)
	h.Want("CONFIG SET save ''", ok)
	reply := endless(t, h, "while true do end", "k")
	other := h.NewClient(t)
	other.Want("PING", servertest.TypeOf("PONG"))
	other.Want("GET other", "v")
	sendWaiting(other, "GET", "k")
	h.Advance(4999e6)
	require.Equal(t, resp.Retry, other.Session.Resume())
	h.Advance(1e6)
	awaitBusy(h)
	require.Equal(t, resp.Continue, other.Session.Resume())
	require.Equal(t, "-"+string(busy)+"\r\n", string(other.Session.Output()))
	other.Session.Sent()
	other.Want("FLUSHALL", busy)
	other.Want("SET k v", busy)
	other.Want("EVAL 'return 1' 1 k", busy)
	other.Want("EVAL 'return 1' 1 other", 1)
	other.Want("SCRIPT KILL", ok)
	require.Contains(t, string(<-reply), "Script killed by user with SCRIPT KILL")
	other.Want("SET k v", ok)
	other.Want("SCRIPT KILL", commands.Error("NOTBUSY No scripts in execution right now."))
}

// sendWaiting sends a command that waits.
func sendWaiting(c *servertest.Client, args ...any) {
	c.T.Helper()
	c.Send(resptest.Command(args...))
	require.Equal(c.T, resp.Retry, c.Status)
}

// TestScriptsThatWroteAreNotKilled ends the script with a subscription, which the script looks for.
func TestScriptsThatWroteAreNotKilled(t *testing.T) {
	h := servertest.New(t)
	reply := endless(t, h, `redis.call('incr', KEYS[1])
		repeat until redis.call('pubsub', 'numsub', 'stop')[2] > 0
		return redis.call('incr', KEYS[1])`, "k")
	reader := h.NewClient(t)
	sendWaiting(reader, "GET", "k")
	for !strings.Contains(h.InfoText("commandstats"), "cmdstat_incr:calls=1,") { // long scripts count before their end
		runtime.Gosched()
	}
	h.Want("SCRIPT KILL", unkillable)
	h.Do("SUBSCRIBE stop")
	require.Equal(t, ":2\r\n", string(<-reply))
	require.Equal(t, resp.Continue, reader.Session.Resume())
	require.Equal(t, "$1\r\n2\r\n", string(reader.Session.Output()))
}

// TestMonitorsSeeWhoWaitedForAScript: a command that has waited for a script is shown when it runs, and so are those of
// EXEC. One that then waits itself is shown once.
func TestMonitorsSeeWhoWaitedForAScript(t *testing.T) {
	h := servertest.New(t)
	monitor := h.NewClient(t)
	monitor.Do("MONITOR")
	reply := endless(t, h, "while true do end", "k")
	other, both, blocks := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	sendWaiting(other, "SET", "k", "alone")
	both.Do("MULTI")
	both.Do("SET k both")
	sendWaiting(both, "EXEC")
	sendWaiting(blocks, "BLPOP", "k", "l", "0")
	awaitBusy(h)
	h.Want("SCRIPT KILL", ok)
	<-reply
	for _, c := range []*servertest.Client{other, both} {
		require.Equal(t, resp.Continue, c.Session.Resume())
		c.Session.Sent()
	}
	h.Do("DEL k")
	require.Equal(t, resp.Retry, blocks.Session.Resume())
	require.Equal(t, resp.Retry, blocks.Session.Resume())
	h.Do("RPUSH l a")
	require.Equal(t, resp.Flush, blocks.Session.Resume())
	shown := fmt.Sprint(monitor.TakePushes())
	for _, line := range []string{`"SET" "k" "alone"`, `"SET" "k" "both"`, `"EXEC"`, `"BLPOP" "k" "l" "0"`} {
		require.Equal(t, 1, strings.Count(shown, line), "%s in %s", line, shown)
	}
}

// TestAPauseHoldsWhoWaitedForAScript: a write that has waited for a script runs at the end of a pause.
func TestAPauseHoldsWhoWaitedForAScript(t *testing.T) {
	h := servertest.New(t, "--busy-reply-threshold", "0")
	reply := endless(t, h, "while true do end", "k")
	writer := h.NewClient(t)
	sendWaiting(writer, "INCR", "k")
	require.EqualValues(t, resp.NoTime, writer.State.RetryAfter())
	h.Do("CLIENT PAUSE 1000 WRITE")
	h.Want("SCRIPT KILL", ok)
	<-reply
	require.Equal(t, resp.Retry, writer.Session.Resume())
	require.EqualValues(t, 1001*1e6-servertest.Start%1e6, writer.State.RetryAfter())
	h.Advance(1001 * time.Millisecond)
	require.Equal(t, resp.Continue, writer.Session.Resume())
	require.Equal(t, ":1\r\n", string(writer.Session.Output()))
}

// TestUnblockIgnoresWhoWaitsForAScript: CLIENT UNBLOCK ends the wait of BLPOP, and not the one for a script before it.
func TestUnblockIgnoresWhoWaitsForAScript(t *testing.T) {
	h := servertest.New(t, "--busy-reply-threshold", "0")
	reply := endless(t, h, "while true do end", "k")
	popper := h.NewClient(t)
	sendWaiting(popper, "BLPOP", "k", "0")
	unblock := fmt.Sprint("CLIENT UNBLOCK ", popper.State.ID())
	h.Want(unblock, 0)
	h.Want("SCRIPT KILL", ok)
	<-reply
	require.Equal(t, resp.Retry, popper.Session.Resume())
	h.Want(unblock, 1)
	require.Equal(t, resp.Continue, popper.Session.Resume())
	require.Equal(t, "*-1\r\n", string(popper.Session.Output()))
}

// TestAWaitAfterAScriptHasItsOwnTime: BLPOP that has waited for a script then waits for its own time. That is a logical
// time, and the end of the wait for the script is a real one.
func TestAWaitAfterAScriptHasItsOwnTime(t *testing.T) {
	h := servertest.New(t)
	reply := endless(t, h, "while true do end", "k")
	popper := h.NewClient(t)
	sendWaiting(popper, "BLPOP", "k", "1")
	h.Advance(5000e6)
	h.Want("SCRIPT KILL", ok)
	<-reply
	require.Equal(t, resp.Retry, popper.Session.Resume())
	require.Equal(t, commands.Wait{Until: h.Clock.Now() + 1e9}, popper.State.Conn().Wait)
	h.Advance(time.Second)
	require.Equal(t, resp.Continue, popper.Session.Resume())
	require.Equal(t, "*-1\r\n", string(popper.Session.Output()))
}

// TestAMoveWaitsForAScript: what the server that this one follows has sent is never BUSY. It waits for the script.
func TestAMoveWaitsForAScript(t *testing.T) {
	h := servertest.New(t)
	f := h.Server.NewFollower(&servertest.Peer{T: t}, "master", nil)
	h.Server.SetFollower(f)
	f.Begin(0)
	reply := endless(t, h, "while true do end", "k")
	awaitBusy(h)
	done := make(chan error, 1)
	go func() {
		done <- f.Apply(t.Context(), [][]byte{[]byte("CL.THROTTLE"), []byte("k"), []byte("1"), []byte("1"), []byte("3600")})
	}()
	for !strings.Contains(h.InfoText("clients"), "blocked_clients:2") {
		runtime.Gosched()
		require.Empty(t, done)
	}
	h.Want("SCRIPT KILL", ok)
	<-reply
	require.NoError(t, <-done)
	h.Server.SetFollower(nil)
	f.Close()
	h.Want("CL.THROTTLE k 1 1 3600 0", []any{0, 2, 1, -1, 3600})
}

// TestBusyScriptsAndShutdown: only SHUTDOWN NOSAVE stops a server whose script is busy. Snapshots would wait for the script.
func TestBusyScriptsAndShutdown(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET save ''", ok)
	reply := endless(t, h, "redis.call('set', KEYS[1], 1) while true do end", "k")
	require.NotEqual(t, resptest.Error(busy), h.Do("SHUTDOWN"))
	h.Advance(1e6)
	awaitBusy(h)
	h.Want("SHUTDOWN SAVE", busy)
	h.Want("SAVE", busy)
	require.NotEqual(t, resptest.Error(busy), h.Do("SHUTDOWN NOSAVE"))
	h.Want("CONFIG SET busy-reply-threshold 0", ok)
	require.NotEqual(t, resptest.Error(busy), h.Do("SHUTDOWN"))
	require.Contains(t, string(stopScripts(h, reply)), "the script was ended because the server stops")
}

// stopScripts stops scripts until one has replied: a script that holds its keys may not be listed yet.
func stopScripts(h *servertest.Harness, reply <-chan []byte) []byte {
	for {
		select {
		case out := <-reply:
			return out
		default:
			h.Server.StopScripts(math.MaxInt64)
			runtime.Gosched()
		}
	}
}

// TestAStoppedServerTakesScriptsBack: a script that the end of the server stops has changed nothing, and logged nothing.
func TestAStoppedServerTakesScriptsBack(t *testing.T) {
	for _, source := range []string{
		"redis.call('set', KEYS[1], 'new') while true do end",
		"redis.call('set', KEYS[1], 'new') redis.call('del', 'undeclared') while true do pcall(redis.call, 'exists', KEYS[1]) end",
		"redis.call('incr', 'n') while true do redis.call('del', 'none') end",
	} {
		h := servertest.New(t)
		h.Want("MSET k old undeclared old", ok)
		var log effects
		h.Store.Observe(&log)
		reply := endless(t, h, source, "k")
		require.Contains(t, string(stopScripts(h, reply)), "the script was ended because the server stops")
		h.Want("MGET k undeclared n", []any{"old", "old", nil})
		require.Empty(t, log.all)
		h.Want("EVAL 'return 1' 0", 1) // a script that begins later runs
	}
}

// TestAScriptThatBeganLaterGoesOn: scripts that began before a time end, and no other one: of a script in EXEC its changes would
// stay.
func TestAScriptThatBeganLaterGoesOn(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET save ''", ok)
	begin := h.Clock.Monotonic()
	reply := endless(t, h, "while true do end", "k")
	awaitBusy(h)
	h.Server.StopScripts(begin)
	h.Want("SCRIPT KILL", ok)
	require.Contains(t, string(<-reply), "Script killed by user")
}

// TestScriptKillEndsAll: one SCRIPT KILL ends every script that has not written. A script that has written
// goes on.
func TestScriptKillEndsAll(t *testing.T) {
	h := servertest.New(t)
	calls := []string{"time", "ping", "lastsave"}
	var reading []chan []byte
	for _, call := range calls {
		reading = append(reading, endless(t, h, "while true do redis.call('"+call+"') end", call))
	}
	writing := endless(t, h, `redis.call('incr', KEYS[1])
		repeat until redis.call('pubsub', 'numsub', 'stop')[2] > 0`, "written")
	for _, call := range append(calls, "incr") {
		// Long scripts count before their end.
		for !strings.Contains(h.InfoText("commandstats"), "cmdstat_"+call+":calls=") {
			runtime.Gosched()
		}
	}
	h.Want("SCRIPT KILL", ok)
	for _, reply := range reading {
		require.Contains(t, string(<-reply), "Script killed by user with SCRIPT KILL")
	}
	h.Want("SCRIPT KILL", unkillable)
	h.Do("SUBSCRIBE stop")
	require.Equal(t, "$-1\r\n", string(<-writing))
}

// TestScriptsOfClientsThatLeft: a script whose client has left for a second ends. One that has written has
// a minute, and then it has changed nothing. A script whose client is there goes on.
func TestScriptsOfClientsThatLeft(t *testing.T) {
	h := servertest.New(t, "--busy-reply-threshold", "0")
	h.Want("SET written old", ok)
	reader, reading := endlessOf(t, h, "while true do end", "read")
	writer, writing := endlessOf(t, h, "redis.call('set', KEYS[1], 'new') while true do end", "written")
	_, staying := endlessOf(t, h, "while true do end", "stays")
	reader.Left.Store(true)
	require.Contains(t, string(ended(h, 100e6, reading)), "the client has closed the connection")
	h.Want("EXISTS read", 0)
	writer.Left.Store(true)
	other := h.NewClient(t)
	sendWaiting(other, "GET", "written")
	require.Contains(t, string(ended(h, 1e9, writing)), "the client has closed the connection")
	other.Session.Resume()
	require.Equal(t, "$3\r\nold\r\n", string(other.Session.Output()))
	require.Empty(t, staying)
	require.Contains(t, string(stopScripts(h, staying)), "the script was ended because the server stops")
}

// ended moves the clock until a script has ended, and returns its reply. It requires that this takes ten
// moves or more.
func ended(h *servertest.Harness, move time.Duration, reply <-chan []byte) []byte {
	for moves := 0; ; moves++ {
		select {
		case out := <-reply:
			require.GreaterOrEqual(h.T, moves, 10)
			return out
		default:
			h.Advance(move)
			runtime.Gosched()
		}
	}
}
