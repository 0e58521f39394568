package commands

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestClCheck(t *testing.T) {
	h := newHarness(t)
	h.at(1_790_000_000_000_000_000)
	h.want("CL.CHECK login user:1", errNoRule)
	h.want("CL.RULE SET login CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600", ok)
	h.want("CL.CHECK login user:1", []any{0, 3, 2, -1, 10})
	h.want("CL.CHECK login user:1 PEEK ms", []any{0, 3, 1, -1, 20_000})
	h.want("CL.CHECK login user:1 2", []any{0, 3, 0, -1, 30})
	h.want("CL.CHECK login user:1", []any{1, 3, 0, 10, 30})
	h.want("CL.CHECK login user:1 1 MS", []any{1, 3, 0, 10_000, 30_000})
	h.want("GET login:{user:1}:window", "3")
	h.advance(30 * time.Second)
	h.want("CL.CHECK login user:1 3", []any{1, 5, 2, 3570, 3570}) // the window refuses, so the throttle takes nothing
	h.want("CL.CHECK login user:1 0", []any{0, 5, 2, -1, 3570})
	h.want("CL.CHECK login user:1 2", []any{0, 5, 0, -1, 3570})
	h.want("CL.CHECK login user:1", []any{1, 5, 0, 3570, 3570})
	h.want("CL.CHECK login user:1 4", []any{1, 3, 1, -1, 20}) // never fits the throttle: the tightest
	h.want("CL.CHECK login user:2 4", []any{1, 3, 3, -1, 0})
	h.want("EXISTS login:{user:2}:throttle login:{user:2}:window", 0)

	// The numbers change, what was used stays.
	h.want("CL.RULE SET login CL.THROTTLE 9 1 10 AND CL.WINDOW 7 3600", ok)
	h.want("CL.CHECK login user:1", []any{0, 7, 1, -1, 3570})
	h.want("CL.TOP", []any{[]any{"user:1", 5, 0}, []any{"user:2", 1, 0}})
}

func TestClCheckErrors(t *testing.T) {
	h := newHarness(t)
	h.do("CL.RULE SET r CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600")
	for _, c := range []struct {
		args string
		want error
	}{
		{"", wrongArity("cl.check")},
		{"r", wrongArity("cl.check")},
		{"x k", errNoRule},
		{"{} k", errNoRule},
		{"r k x", errSyntax},
		{"r k 1.5", Error("ERR quantity is not an integer or out of range")},
		{"r k 1 2", errSyntax},
		{"r k 9223372036854775808", Error("ERR quantity is not an integer or out of range")},
		{"r k -1", Error("ERR quantity must not be negative")},
		{"r k 1 MS ms", errSyntax},
		{"r k PEEK 1", errSyntax},
		{"r k ALIGN", errSyntax},
		{fmt.Sprint("r k ", math.MaxInt64), Error("ERR quantity is out of range for this count and period: over 292 years of requests")},
	} {
		h.want("CL.CHECK "+c.args, c.want)
	}
	require.Equal(t, int64(1), h.do("DBSIZE"), "nothing but the rule")
	h.do("SET r:{k}:window text")
	h.want("CL.CHECK r k", errNotInteger)
	h.want("EXISTS r:{k}:throttle", 0)
	h.sortedSet("z", "a")
	h.do("RENAME z r:{k}:window")
	h.want("CL.CHECK r k", errWrongType)
	h.want("EXISTS r:{k}:throttle", 0)
}

func TestClCheckShadow(t *testing.T) {
	h := newHarness(t)
	h.at(1_790_000_000_000_000_000)
	h.do("CL.RULE SET r CL.WINDOW 2 60 SHADOW")
	h.want("CL.CHECK r k", []any{0, 2, 1, -1, 60})
	h.want("CL.CHECK r k", []any{0, 2, 0, -1, 60})
	h.want("CL.CHECK r k", []any{0, 2, 0, -1, 60})
	h.want("CL.CHECK r k 3", []any{0, 2, 0, -1, 60})
	h.want("CL.CHECK r k PEEK", []any{0, 2, 0, -1, 60})
	h.want("CL.CHECK r k 0", []any{0, 2, 0, -1, 60})
	require.Equal(t, "allowed=2,limited=0,shadow_limited=2", h.info("throttle")["rule_r"])
	require.Equal(t, "allowed=4,limited=0,looked=2", h.info("throttle")["limiter_cl.check"])
	h.want("CL.TOP", []any{})
	h.do("CL.RULE SET r CL.WINDOW 2 60")
	h.want("CL.CHECK r k", []any{1, 2, 0, 60, 60})
	require.Equal(t, "allowed=2,limited=1,shadow_limited=2", h.info("throttle")["rule_r"], "counters outlive changes")
	require.Equal(t, 2.0, samples(t, h.server.Metrics())[`cellserver_rule_decisions_total{rule="r",outcome="shadow_limited"}`])
	h.do("CONFIG RESETSTAT")
	require.Equal(t, "allowed=0,limited=0,shadow_limited=0", h.info("throttle")["rule_r"])
	h.do("CL.RULE DEL r")
	h.want("CL.CHECK r k", errNoRule)
	require.NotContains(t, h.info("throttle"), "rule_r")
}

// TestClCheckStateKeys: the states of a key lie where the key lies, and no two keys or
// limits share one.
func TestClCheckStateKeys(t *testing.T) {
	words := func(s string) [][]byte { return bytesOf(s) }
	r, err := parseRule("r", words("CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600"))
	require.NoError(t, err)
	seen := map[string]string{}
	for _, key := range []string{"k", "user:1", "{user}:1", "a{user}1", "", "{}", "a}b", "}{", "{", "}", "{}{a}", "a:window", "r:{k}:window", "{k}:r:window"} {
		for i := range r.limits {
			state := string(r.limits[i].stateKey(nil, []byte(key), canBeTag([]byte(key))))
			require.NotContains(t, seen, state, "%q and %q", key, seen[state])
			seen[state] = key
			if canBeTag([]byte(key)) || hasTag([]byte(key)) {
				require.Equal(t, store.Slot([]byte(key)), store.Slot([]byte(state)), "%q in %q", key, state)
			}
		}
	}
	require.Equal(t, "r:{k}:window:2", string(r.limits[2].stateKey(nil, []byte("k"), true)))
	require.Equal(t, "{k}1:r:throttle", string(r.limits[1].stateKey(nil, []byte("{k}1"), false)))

	h := newHarness(t)
	h.do("CL.RULE SET r CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600")
	for _, key := range []string{"", "{}", "a}b", "}{", "{a}b"} {
		require.Equal(t, []any{int64(0), int64(2), int64(1)}, h.do("CL.CHECK", "r", key).([]any)[:3], "%q", key) // the rule at hand
		h.do("CL.RULE SET other CL.WINDOW 1 1")
		require.Equal(t, []any{int64(0), int64(2), int64(0)}, h.do("CL.CHECK", "r", key).([]any)[:3], "%q", key) // and not
		h.do("MULTI")
		h.do("CL.CHECK", "r", key)
		h.do("CL.CHECK", "r", key, 0)
		require.Len(t, h.do("EXEC"), 2)
	}
	require.Equal(t, int64(1+5*3), h.do("DBSIZE"))
}

// TestClCheckAllOrNothing: 64 clients at once, of which each limit lets through exactly
// what it says, and none takes anything of what another refuses.
func TestClCheckAllOrNothing(t *testing.T) {
	h := newHarness(t)
	h.do("CL.RULE SET r CL.WINDOW 1000 60 AND CL.THROTTLE 699 1 3600 AND CL.WINDOW 5000 3600")
	const clients, tries = 64, 40
	var allowed sync.Map
	var wg sync.WaitGroup
	for i := range clients {
		c := h.client(t)
		wg.Go(func() {
			n := int64(0)
			for try := range tries {
				quantity := int64(1 + (i+try)%3)
				if c.do("CL.CHECK", "r", "key", quantity).([]any)[0] == int64(0) {
					n += quantity
				}
				if i == 0 && try%8 == 0 {
					c.do("CL.RULE", "SET", "other", "CL.WINDOW", try+1, 1)
				}
			}
			allowed.Store(i, n)
		})
	}
	wg.Wait()
	total := int64(0)
	allowed.Range(func(_, n any) bool { total += n.(int64); return true })
	require.Equal(t, int64(700), total, "the throttle is the tightest, and the last ones ask for one")
	h.want("GET r:{key}:window", fmt.Sprint(total))
	h.want("GET r:{key}:window:2", fmt.Sprint(total))
	counts := h.server.rules.report()
	require.Equal(t, int64(clients*tries), counts[1].allowed+counts[1].limited)
}

func TestClCheckAllocatesNothing(t *testing.T) {
	h := newHarness(t)
	h.do("CL.RULE SET r CL.THROTTLE 15 30 60 AND CL.WINDOW 1000 3600")
	h.do("CL.RULE SET never CL.THROTTLE 0 1 3600 AND CL.WINDOW 1 3600")
	for _, rule := range []string{"r", "never"} {
		sent := pipeline(16, "CL.CHECK", rule, "key")
		take(t, h.session, sent)
		take(t, h.session, sent)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			h.clock.Advance(1e6)
			take(t, h.session, sent)
		}), rule)
	}
}
