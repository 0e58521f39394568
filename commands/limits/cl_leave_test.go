package limits

import (
	"fmt"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClLeave: without a latency the server takes the time since CL.ENTER.
func TestClLeave(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.LEAVE k a", []any{0, 0})
	const options = " VEGAS WINDOW 0"
	h.Do("CL.ENTER k 60 a" + options)
	h.Advance(20 * time.Millisecond)
	h.Want("CL.LEAVE k a", []any{1, 20})
	h.Want("CL.LEAVE k a", []any{0, 20})
	base := texts(h.Do("CL.LIMIT k")).([]any)[7].(int64)
	require.InDelta(t, 20_000, base, 1)
	h.Do("CL.ENTER k 60 a" + options)
	h.Advance(61 * time.Second)
	h.Want("CL.LEAVE k a 0.001", []any{0, 20})
	require.Equal(t, base, texts(h.Do("CL.LIMIT k")).([]any)[7], "a lease that has ended is not a sample")
}

// TestClLeaveInTransactions: a transaction and a script count each call once, and find what they have counted.
func TestClLeaveInTransactions(t *testing.T) {
	h := servertest.New(t)
	const options = " AIMD 1 WINDOW 0 START 2"
	for i := range 4 {
		h.Do(fmt.Sprint("CL.ENTER k 60 a", i, " AIMD 1 WINDOW 0 START 8"))
	}
	h.Do("MULTI")
	h.Do("CL.LEAVE k a0 0.1")
	h.Do("CL.LEAVE k a1 0.1")
	h.Want("EXEC", []any{[]any{1, 9}, []any{1, 9}})
	script := "redis.call('CL.ENTER', KEYS[1], 60, 'b', 'AIMD', 1, 'WINDOW', 0, 'START', 1); " +
		"redis.call('CL.LEAVE', KEYS[1], 'b', '0.1'); redis.call('CL.ENTER', KEYS[1], 60, 'b', 'AIMD', 1, 'WINDOW', 0); " +
		"return redis.call('CL.LEAVE', KEYS[1], 'b', '0.1')"
	h.Want(`EVAL "`+script+`" 1 s`, []any{1, 3})
	h.Want("CL.ENTER t 60 c"+options, []any{0, 2, 1, -1, 60})
}

// TestAdaptiveEffects: a window logs at most one change of the state. Everything else is what CL.ACQUIRE and
// CL.RELEASE log.
func TestAdaptiveEffects(t *testing.T) {
	const windows, calls = 8, 10
	changes := map[string]int{}
	for first, last := range map[string]string{
		"CL.ENTER k 60 a%d BETWEEN 1 4000 START 50": "CL.LEAVE k a%d 0.02", "CL.ACQUIRE a 4000 60 a%d": "CL.RELEASE a a%d",
	} {
		h := servertest.New(t)
		var seen setKeys
		h.Store.Observe(&seen)
		for id := range windows * calls {
			h.Do(fmt.Sprintf(first, id))
			h.Do(fmt.Sprintf(last, id))
			h.Advance(time.Second / calls)
		}
		for _, key := range seen.keys {
			changes[key]++
		}
	}
	require.Equal(t, changes["a"], changes["k"])
	require.LessOrEqual(t, changes["k"], 3*windows*calls)
	require.Positive(t, changes["{k}:adaptive"])
	require.LessOrEqual(t, changes["{k}:adaptive"], windows)
	require.Len(t, changes, 3)
}

// TestClLeaveWithinAWindow: while a window is open CL.LEAVE needs no state, so a wrong one does not keep a permit.
// The end of the window reads it.
func TestClLeaveWithinAWindow(t *testing.T) {
	h := servertest.New(t)
	for i := range 3 {
		h.Do(fmt.Sprint("CL.ENTER k 60 a", i))
	}
	h.Want("SET {k}:adaptive x", ok)
	h.Want("CL.LEAVE k a0", []any{1, 20})
	h.Want("ZCARD k", 2)
	h.Advance(time.Second)
	wrong := commands.Error("ERR the key '{k}:adaptive' holds no state of an adaptive limit: delete it, or use another key for the limit")
	h.Want("CL.LEAVE k a1", wrong)
	h.Want("CL.LEAVE k none", wrong)
	h.Want("ZCARD k", 2)
}

// TestClLeaveFollowsTheState: the limit in the reply is that of the last CL.ENTER, also if another client has changed
// the state, and a state that is gone begins anew.
func TestClLeaveFollowsTheState(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.ENTER k 60 a")
	h.Want("SET {k}:adaptive 'adaptive1 GRADIENT 327680 0 0 0 0 0'", ok)
	require.EqualValues(t, 5, h.Do("CL.ENTER k 60 b").([]any)[1])
	h.Want("CL.LEAVE k b", []any{1, 5})
	h.Want("CL.LEAVE k none", []any{0, 5})
	h.Want("FLUSHALL", ok)
	h.Want("CL.LEAVE k a", []any{0, 0})
	require.EqualValues(t, 20, h.Do("CL.ENTER k 60 a").([]any)[1])
	h.Want("CL.LEAVE k a", []any{1, 20})
}

// TestClLeaveCountsCalls: a window that begins with CL.LEAVE sees all calls that are under way, and leases that have
// ended are none of them.
func TestClLeaveCountsCalls(t *testing.T) {
	h := servertest.New(t)
	for i := range 12 {
		h.Do(fmt.Sprint("CL.ENTER k 60 a", i))
	}
	for i := range 3 {
		h.Do(fmt.Sprint("CL.ENTER k 1.5 short", i))
	}
	inFlight := func(n int) {
		require.Contains(t, h.Do("INFO throttle"), fmt.Sprintf("limit=20,inflight=%d,", n))
	}
	inFlight(15)
	h.Advance(time.Second)
	h.Want("CL.LEAVE k a0", []any{1, 20}) // a short window, and the next one begins
	inFlight(14)
	h.Want("CL.LEAVE k a1", []any{1, 20})
	inFlight(13)
	h.Advance(time.Second)
	h.Want("CL.LEAVE k a2", []any{1, 20})
	inFlight(9)
	h.Want("CL.LEAVE k a3", []any{1, 20})
	inFlight(8)
}
