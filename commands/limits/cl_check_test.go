package limits

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClCheck(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.CHECK login user:1", ruleset.NoRule("login"))
	h.Want("CL.RULE SET login CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600", ok)
	h.Want("CL.CHECK login user:1", []any{0, 3, 2, -1, 10})
	h.Want("CL.CHECK login user:1 PEEK ms", []any{0, 3, 1, -1, 20_000})
	h.Want("CL.CHECK login user:1 2", []any{0, 3, 0, -1, 30})
	h.Want("CL.CHECK login user:1", []any{1, 3, 0, 10, 30})
	h.Want("CL.CHECK login user:1 1 MS", []any{1, 3, 0, 10_000, 30_000})
	h.Want("GET login:{user:1}:window", "3")
	h.Advance(30 * time.Second)
	h.Want("CL.CHECK login user:1 3", []any{1, 5, 2, 3570, 3570}) // the window refuses, so the throttle consumes nothing
	h.Want("CL.CHECK login user:1 0", []any{0, 5, 2, -1, 3570})
	h.Want("CL.CHECK login user:1 2", []any{0, 5, 0, -1, 3570})
	h.Want("CL.CHECK login user:1", []any{1, 5, 0, 3570, 3570})
	h.Want("CL.CHECK login user:1 4", []any{1, 3, 1, -1, 20}) // the throttle can never allow 4, so it is the tightest limit
	h.Want("CL.CHECK login user:2 4", []any{1, 3, 3, -1, 0})
	h.Want("EXISTS login:{user:2}:throttle login:{user:2}:window", 0)

	// The parameters change, the used quantity stays.
	h.Want("CL.RULE SET login CL.THROTTLE 9 1 10 AND CL.WINDOW 7 3600", ok)
	h.Want("CL.CHECK login user:1", []any{0, 7, 1, -1, 3570})
	h.Want("CL.TOP", []any{[]any{"user:1", 5, 0}, []any{"user:2", 1, 0}})
}

// TestHugeQuantities: a quantity above the limit is refused, whatever it is. An error would be no decision, and clients that
// fail open would allow it.
func TestHugeQuantities(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600")
	h.Do("CL.RULE SET slow CL.THROTTLE 0 1 3153600000")
	h.Do("CL.CHECK r k")
	for _, quantity := range []int64{4, 1e9, 922337203, 922337204, 1 << 53, math.MaxInt64} {
		h.Want(fmt.Sprint("CL.CHECK r k ", quantity), []any{1, 3, 2, -1, 10})
		h.Want(fmt.Sprint("CL.MTHROTTLE 1 a 2 1 10 QUANTITY ", quantity), []any{1, 0, []any{1, 3, 3, -1, 0}})
		h.Want(fmt.Sprint("CL.RESERVE r k ", quantity, " id 60"), []any{1, 3, 2, -1, 10})
		h.Want(fmt.Sprint("CL.CHECK slow k ", quantity), []any{1, 1, 1, -1, 0})
	}
	h.Want("CL.CHECK r k 0", []any{0, 3, 2, -1, 10})
	h.Want("CL.CHECK slow k 1", []any{0, 1, 0, -1, 3153600000})
}

func TestClCheckErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600")
	for _, c := range []struct {
		args string
		want error
	}{
		{"", commands.WrongArity("cl.check")},
		{"r", commands.WrongArity("cl.check")},
		{"x k", ruleset.NoRule("x")},
		{"{} k", ruleset.NoRule("{}")},
		{"r k x", commands.Error("ERR syntax error: 'x' is not an option of CL.CHECK: use MS, PEEK, QUANTITY, CHARGE, EXPLAIN")},
		{"r k 1.5", commands.Error("ERR quantity '1.5' is not an integer or out of range")},
		{"r k 1 2", commands.Error("ERR syntax error: '2' is not an option of CL.CHECK: use MS, PEEK, CHARGE, EXPLAIN")},
		{"r k 9223372036854775808", commands.Error("ERR quantity '9223372036854775808' is not an integer or out of range")},
		{"r k -1", commands.Error("ERR quantity '-1' must not be negative")},
		{"r k 1 MS ms", commands.Error("ERR syntax error: 'ms' repeats")},
		{"r k PEEK 1", commands.Error("ERR syntax error: '1' is not an option of CL.CHECK: use MS, QUANTITY, CHARGE, EXPLAIN")},
		{"r k ALIGN", commands.Error("ERR syntax error: 'ALIGN' is not an option of CL.CHECK: use MS, PEEK, QUANTITY, CHARGE, EXPLAIN")},
		{"r k 1 QUANTITY 2", commands.Error("ERR syntax error: 'QUANTITY' repeats")},
		{fmt.Sprint("r k ", math.MaxInt64, " CHARGE"), commands.Error("ERR quantity '9223372036854775807' is out of range for this count and period: over 292 years of requests")},
	} {
		h.Want("CL.CHECK "+c.args, c.want)
	}
	require.Zero(t, h.Do("DBSIZE"))
	h.Do("SET r:{k}:window text")
	h.Want("CL.CHECK r k", commands.ErrNotInteger)
	h.Want("EXISTS r:{k}:throttle", 0)
	h.SortedSet("z", "a")
	h.Do("RENAME z r:{k}:window")
	h.Want("CL.CHECK r k", commands.ErrWrongType)
	h.Want("EXISTS r:{k}:throttle", 0)
}

func TestClCheckShadow(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Do("CL.RULE SET r CL.WINDOW 2 60 SHADOW")
	h.Want("CL.CHECK r k", []any{0, 2, 1, -1, 60})
	h.Want("CL.CHECK r k", []any{0, 2, 0, -1, 60})
	h.Want("CL.CHECK r k", []any{0, 2, 0, -1, 60})
	h.Want("CL.CHECK r k 3", []any{0, 2, 0, -1, 60})
	h.Want("CL.CHECK r k PEEK", []any{0, 2, 0, -1, 60})
	h.Want("CL.CHECK r k 0", []any{0, 2, 0, -1, 60})
	require.Equal(t, "allowed=2,limited=0,shadow_limited=2", h.Info("throttle")["rule_r"])
	require.Equal(t, "allowed=4,limited=0,looked=2", h.Info("throttle")["limiter_cl.check"])
	h.Want("CL.TOP", []any{})
	h.Do("CL.RULE SET r CL.WINDOW 2 60")
	h.Want("CL.CHECK r k", []any{1, 2, 0, 60, 60})
	require.Equal(t, "allowed=2,limited=1,shadow_limited=2", h.Info("throttle")["rule_r"], "counters stay if a rule changes")
	require.Equal(t, 2.0, servertest.Samples(t, h.Server.Metrics())[`cellserver_rule_decisions_total{rule="r",outcome="shadow_limited"}`])
	h.Do("CONFIG RESETSTAT")
	require.Equal(t, "allowed=0,limited=0,shadow_limited=0", h.Info("throttle")["rule_r"])
	h.Do("CL.RULE DEL r")
	h.Want("CL.CHECK r k", ruleset.NoRule("r"))
	require.NotContains(t, h.Info("throttle"), "rule_r")
}

// TestClCheckOddKeys: keys with unusual braces work, with parsed rules and with rules that must be
// parsed.
func TestClCheckOddKeys(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600")
	for _, key := range []string{"", "{}", "a}b", "}{", "{a}b"} {
		require.Equal(t, []any{int64(0), int64(2), int64(1)}, h.Do("CL.CHECK", "r", key).([]any)[:3], "%q", key) // the rules are parsed
		h.Do("CL.RULE SET other CL.WINDOW 1 1")
		require.Equal(t, []any{int64(0), int64(2), int64(0)}, h.Do("CL.CHECK", "r", key).([]any)[:3], "%q", key) // the rules must be parsed
		h.Do("MULTI")
		h.Do("CL.CHECK", "r", key)
		h.Do("CL.CHECK", "r", key, 0)
		require.Len(t, h.Do("EXEC"), 2)
	}
	require.Equal(t, int64(5*3), h.Do("DBSIZE"))
}

// TestClCheckAllOrNothing: 64 clients at once. Each limit allows exactly its number of actions. No
// limit consumes the quantity of a request that another limit refuses.
func TestClCheckAllOrNothing(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1000 60 AND CL.THROTTLE 699 1 3600 AND CL.WINDOW 5000 3600")
	const clients, tries = 64, 40
	var allowed sync.Map
	var wg sync.WaitGroup
	for i := range clients {
		c := h.NewClient(t)
		wg.Go(func() {
			n := int64(0)
			for try := range tries {
				quantity := int64(1 + (i+try)%3)
				if c.Do("CL.CHECK", "r", "key", quantity).([]any)[0] == int64(0) {
					n += quantity
				}
				if i == 0 && try%8 == 0 {
					c.Do("CL.RULE", "SET", "other", "CL.WINDOW", try+1, 1)
				}
			}
			allowed.Store(i, n)
		})
	}
	wg.Wait()
	total := int64(0)
	allowed.Range(func(_, n any) bool { total += n.(int64); return true })
	require.Equal(t, int64(700), total, "the throttle is the tightest, and the last ones ask for one")
	h.Want("GET r:{key}:window", fmt.Sprint(total))
	h.Want("GET r:{key}:window:2", fmt.Sprint(total))
	var allowedCount, limitedCount, shadowed int64
	_, err := fmt.Sscanf(h.Info("throttle")["rule_r"], "allowed=%d,limited=%d,shadow_limited=%d", &allowedCount, &limitedCount, &shadowed)
	require.NoError(t, err)
	require.Equal(t, int64(clients*tries), allowedCount+limitedCount)
}

func TestClCheckAllocatesNothing(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.THROTTLE 15 30 60 AND CL.WINDOW 1000 3600")
	h.Do("CL.RULE SET never CL.THROTTLE 0 1 3600 AND CL.WINDOW 1 3600")
	for _, rule := range []string{"r", "never"} {
		sent := servertest.Pipeline(16, "CL.CHECK", rule, "key")
		servertest.Exchange(t, h.Session, sent)
		servertest.Exchange(t, h.Session, sent)
		servertest.NoAllocs(t, 1000, func() {
			h.Clock.Advance(1e6)
			servertest.Exchange(t, h.Session, sent)
		}, rule)
	}
}
