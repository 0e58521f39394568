package limits

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/rediserr"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClMcheck: a request counts in all of its rules or in none.
func TestClMcheck(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET ip CL.THROTTLE 1 60 60")
	h.Do("CL.RULE SET user CL.WINDOW 5 3600 AND CL.WINDOW 9 86400")
	const both = "CL.MCHECK 2 ip 10.0.0.1 user ann "
	h.Want(both, []any{0, -1, []any{0, 2, 1, -1, 1}, []any{0, 5, 4, -1, 3600}})
	h.Want(both+"QUANTITY 2", []any{1, 0, []any{1, 2, 1, 1, 1}, []any{0, 5, 4, -1, 3600}})
	h.Want(both+"ms peek", []any{0, -1, []any{0, 2, 0, -1, 2000}, []any{0, 5, 3, -1, 3_600_000}})
	h.Want(both, []any{0, -1, []any{0, 2, 0, -1, 2}, []any{0, 5, 3, -1, 3600}})
	h.Want(both, []any{1, 0, []any{1, 2, 0, 1, 2}, []any{0, 5, 3, -1, 3600}})
	h.Advance(time.Minute)
	h.Want("CL.MCHECK 2 ip 10.0.0.1 user ann QUANTITY 4", []any{1, 0, []any{1, 2, 2, -1, 0}, []any{1, 5, 3, 3540, 3540}})
	h.Want("CL.MCHECK 1 user ann", []any{0, -1, []any{0, 5, 2, -1, 3540}})
	h.Want("CL.MCHECK 2 user ann user bob", []any{0, -1, []any{0, 5, 1, -1, 3540}, []any{0, 5, 4, -1, 3600}})
	h.Want("CL.MCHECK 2 user bob ip 10.0.0.2 QUANTITY 0", []any{0, -1, []any{0, 5, 4, -1, 3600}, []any{0, 2, 2, -1, 0}})
	h.Want("EXISTS ip:{10.0.0.2}:throttle", 0)
	h.Want("COMMAND GETKEYS CL.MCHECK 2 ip a user b PEEK", []string{"a", "b"})
}

// TestClMcheckCharge: a charge counts in all rules, whatever is left.
func TestClMcheckCharge(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET ip CL.WINDOW 3 60")
	h.Do("CL.RULE SET user CL.WINDOW 9 60")
	h.Do("CL.RULE SET try CL.WINDOW 2 60 SHADOW")
	const all = "CL.MCHECK 3 ip i user u try t QUANTITY 4 CHARGE"
	h.Want(all+" PEEK", []any{1, 0, []any{1, 3, -1, 60, 60}, []any{0, 9, 5, -1, 60}, []any{0, 2, -2, -1, 60}})
	h.Want("EXISTS ip:{i}:window user:{u}:window try:{t}:window", 0)
	h.Want(all, []any{1, 0, []any{1, 3, -1, 60, 60}, []any{0, 9, 5, -1, 60}, []any{0, 2, -2, -1, 60}})
	h.Want("MGET ip:{i}:window user:{u}:window try:{t}:window", []string{"4", "4", "4"})
	h.Want("CL.MCHECK 2 user u ip i QUANTITY 9223372036854775807 CHARGE", commands.Error("ERR quantity '9223372036854775807' is too large: the count would exceed 9223372036854775807"))
	h.Want("MGET ip:{i}:window user:{u}:window", []string{"4", "4"})
	require.Equal(t, "allowed=1,limited=0,shadow_limited=0", h.Info("throttle")["rule_user"])
	require.Equal(t, "allowed=0,limited=0,shadow_limited=1", h.Info("throttle")["rule_try"])
}

// TestClMcheckScopes: a rule with scopes stands once for each scope.
func TestClMcheckScopes(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET llm SCOPE team CL.WINDOW 9 60 AND SCOPE user CL.WINDOW 5 60 AND SCOPE user CL.THROTTLE 4 5 60 SHADOW")
	h.Do("CL.RULE SET ip CL.WINDOW 2 60")
	h.Want("CL.MCHECK 3 llm red llm ann ip i1 EXPLAIN", []any{0, -1,
		[]any{0, 5, 4, -1, 60, "user", "CL.WINDOW 5 60", []any{
			[]any{"team", "CL.WINDOW 9 60", 0, 9, 8, -1, 60, 60, "rule"},
			[]any{"user", "CL.WINDOW 5 60", 0, 5, 4, -1, 60, 60, "rule"},
			[]any{"user", "CL.THROTTLE 4 5 60", 0, 5, 4, -1, 12, 60, "rule"},
		}, 1},
		[]any{0, 2, 1, -1, 60, "", "CL.WINDOW 2 60", []any{[]any{"", "CL.WINDOW 2 60", 0, 2, 1, -1, 60, 60, "rule"}}, 0},
	})
	h.Want("CL.MCHECK 3 ip i1 llm red llm bob", []any{0, -1, []any{0, 2, 0, -1, 60}, []any{0, 5, 4, -1, 60}})
	h.Want("CL.MCHECK 3 ip i1 llm red llm bob", []any{1, 0, []any{1, 2, 0, 60, 60}, []any{0, 5, 4, -1, 60}})
	h.Want("MGET llm@team:{red}:window llm@user:{bob}:window", []string{"2", "1"})
	for _, wrong := range []string{"1 llm red", "2 llm red ip i1", "2 ip i1 llm red", "3 llm red ip i1 llm ann"} {
		h.Want("CL.MCHECK "+wrong,
			rediserr.Error("ERR the rule llm has the scopes team, user: give a key for each, in this order"))
	}
	h.Want("CL.MCHECK 2 llm a}b llm c{", []any{0, -1, []any{0, 5, 4, -1, 60}})
	h.Want("CL.MCHECK 2 llm c{ llm a}b", []any{0, -1, []any{0, 5, 4, -1, 60}})
	h.Want("MGET a}b:llm@user:window a}b:llm@team:window", []string{"1", "1"})
}

// TestClMcheckShadow: a rule with SHADOW refuses nothing, and consumes nothing if another rule
// refuses.
func TestClMcheckShadow(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET real CL.WINDOW 2 60")
	h.Do("CL.RULE SET try CL.WINDOW 3 60 SHADOW")
	h.Do("CL.RULE SET tight CL.WINDOW 1 60 SHADOW")
	const all = "CL.MCHECK 3 tight k real k try k"
	h.Want(all, []any{0, -1, []any{0, 1, 0, -1, 60}, []any{0, 2, 1, -1, 60}, []any{0, 3, 2, -1, 60}})
	h.Want(all, []any{0, -1, []any{0, 1, 0, -1, 60}, []any{0, 2, 0, -1, 60}, []any{0, 3, 1, -1, 60}})
	h.Want(all, []any{1, 1, []any{0, 1, 0, -1, 60}, []any{1, 2, 0, 60, 60}, []any{0, 3, 1, -1, 60}})
	h.Want("GET try:{k}:window", "2")
	info := h.Info("throttle")
	require.Equal(t, "allowed=1,limited=0,shadow_limited=2", info["rule_tight"])
	require.Equal(t, "allowed=2,limited=1,shadow_limited=0", info["rule_real"])
	require.Equal(t, "allowed=2,limited=0,shadow_limited=0", info["rule_try"])
	require.Equal(t, "allowed=2,limited=1,looked=0", info["limiter_cl.mcheck"])
	h.Want("CL.TOP", []any{[]any{"k", 1, 0}})
}

func TestClMcheckErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 5 3600")
	h.SortedSet("z", "m")
	h.Do("RENAME z r:{wrong}:window")
	for line, want := range map[string]error{
		"0 r a":                        rules.ErrPairs,
		"-1 r a":                       rules.ErrPairs,
		"x r a":                        rules.ErrPairs,
		"17 r a":                       rules.ErrPairs,
		"2 r a":                        rules.ErrPairs,
		"2 r a r":                      rules.ErrPairs,
		"9223372036854775807 r a":      rules.ErrPairs,
		"1 r a x":                      commands.Error("ERR syntax error: 'x' is not an option of CL.MCHECK: use MS, PEEK, QUANTITY, CHARGE, EXPLAIN"),
		"1 r a 5":                      commands.Error("ERR syntax error: '5' is not an option of CL.MCHECK: use MS, PEEK, QUANTITY, CHARGE, EXPLAIN"),
		"1 r a QUANTITY":               commands.Error("ERR syntax error: 'QUANTITY' needs an integer after it"),
		"1 r a QUANTITY x":             commands.Error("ERR quantity 'x' is not an integer or out of range"),
		"1 r a QUANTITY -1":            commands.Error("ERR quantity '-1' must not be negative"),
		"2 r a r a":                    rules.ErrSamePair,
		"2 r a none a":                 ruleset.NoRule("none"),
		"2 r a r wrong":                commands.ErrWrongType,
		"3 r a r b r wrong QUANTITY 2": commands.ErrWrongType,
	} {
		h.Want("CL.MCHECK "+line, want)
		h.Want("DBSIZE", 1)
	}
}

// TestClMcheckInTransactions: a transaction may change a rule between two requests.
func TestClMcheckInTransactions(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1 60")
	for _, line := range []string{
		"MULTI", "CL.MCHECK 2 r a}b r c", "CL.RULE SET r CL.WINDOW 2 60", "CL.MCHECK 1 r c", "CL.MCHECK 2 r c r d",
		"CL.MCHECK 2 r x", "CL.CHECK r d",
	} {
		h.Do(line)
	}
	replies := h.Do("EXEC").([]any)
	require.Equal(t, []any{int64(0), int64(-1)}, replies[0].([]any)[:2])
	require.Equal(t, []any{int64(0), int64(-1)}, replies[2].([]any)[:2], "the limit is 2 now")
	require.Equal(t, []any{int64(1), int64(0)}, replies[3].([]any)[:2])
	require.Equal(t, []any{int64(0), int64(2), int64(1)}, replies[5].([]any)[:3], "the request before consumed nothing of d")
	h.Want("GET r:{c}:window", "2")
}

// TestClMcheckSameState: a rule may not decide twice about a key of one scope. A key may be that of two scopes.
func TestClMcheckSameState(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.WINDOW 50 60")
	h.Do("CL.RULE SET other CL.WINDOW 50 60")
	h.Want("CL.MCHECK 5 r k1 r k2 other o r k3 r k2", rules.ErrSamePair)
	h.Want("DBSIZE", 0)
	h.Want("CL.MCHECK 5 r x1 r x2 other o r x2 r x3", []any{0, -1, []any{0, 50, 49, -1, 60}, []any{0, 50, 49, -1, 60}, []any{0, 50, 49, -1, 60}})
	h.Do("CL.RULE OVERRIDE r b x}y CL.THROTTLE 4 5 60")
	h.Want("CL.MCHECK 2 r k r x}y", []any{0, -1, []any{0, 5, 4, -1, 12}})
}

// TestIdleConnectionsHoldNoChecks: all connections share the memory for requests to rules.
func TestIdleConnectionsHoldNoChecks(t *testing.T) {
	h := servertest.New(t)
	line := "CL.MCHECK 16"
	for i := range 16 {
		h.Do(fmt.Sprint("CL.RULE SET r", i, " CL.THROTTLE 100000 100 1"))
		line += fmt.Sprint(" r", i, " ", strings.Repeat("k", 200))
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const clients = 200
	all := []*servertest.Client{}
	for range clients {
		all = append(all, h.NewClient(t))
		all[len(all)-1].Do("ECHO " + strings.Repeat("x", len(line))) // grows the buffers of the session
	}
	before := heap()
	for _, c := range all {
		c.Do(line)
		c.Do("CL.RESERVE r0 k 1 id 60")
	}
	require.Less(t, heap()-before, int64(clients*16<<10), "bytes; without sharing, each client would hold about 75 KB")
	runtime.KeepAlive(all)
}
