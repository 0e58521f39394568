package limits

import (
	"fmt"
	"testing"
	"time"

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
