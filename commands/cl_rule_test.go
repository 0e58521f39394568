package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClRule(t *testing.T) {
	h := newHarness(t)
	h.want("CL.RULE GET login", nil)
	h.want("CL.RULE LIST", []any{})
	h.want("CL.RULE DEL login", 0)
	h.want("CL.RULE SET login CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow", ok)
	h.want("CL.RULE GET login", "CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow")
	h.want("CL.RULE SET api CL.WINDOW 10 1", ok)
	h.want("CL.RULE LIST", []any{[]any{"api", "CL.WINDOW 10 1", "key"},
		[]any{"login", "CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow", "key"}})
	h.want("GET cl.rules", "api CL.WINDOW 10 1\nlogin CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow\n")
	h.want("CL.RULE SET login CL.WINDOW 7 1", ok)
	h.want("CL.RULE GET login", "CL.WINDOW 7 1")
	h.want("CL.RULE DEL login", 1)
	h.want("CL.RULE DEL login", 0)
	h.want("CL.RULE DEL api", 1)
	h.want("EXISTS cl.rules", 0)
	require.NotEmpty(t, h.do("CL.RULE HELP"))
}

func TestClRuleErrors(t *testing.T) {
	h := newHarness(t)
	limit := " CL.WINDOW 10 1"
	and := " AND" + limit
	for _, c := range []struct {
		line string
		want error
	}{
		{"", wrongArity("cl.rule")},
		{"SET", wrongArity("cl.rule|set")},
		{"SET name", wrongArity("cl.rule|set")},
		{"GET", wrongArity("cl.rule|get")},
		{"GET a b", wrongArity("cl.rule|get")},
		{"DEL", wrongArity("cl.rule|del")},
		{"LIST a", wrongArity("cl.rule|list")},
		{"NOPE", unknownSubcommand("cl.rule", []byte("NOPE"))},
		{"SET a{b}" + limit, errRuleName},
		{`SET "a b"` + limit, errRuleName},
		{`SET ""` + limit, errRuleName},
		{"SET a:b" + limit, errRuleName},
		{"SET " + strings.Repeat("a", mostRuleName+1) + limit, errRuleName},
		{"SET name SHADOW", errNoLimiter},
		{"SET name AND", errNoLimiter},
		{"SET name" + limit + " AND", errNoLimiter},
		{"SET name AND" + limit, errNoLimiter},
		{"SET name" + limit + " AND SHADOW", errNoLimiter},
		{"SET name" + limit + " SHADOW SHADOW", errSyntax},
		{"SET name SET 10 1", errNoLimiter},
		{"SET name CL.CHECK 10 1", errNoLimiter},
		{"SET name CL.WINDOW 10", wrongArity("cl.window")},
		{"SET name CL.WINDOW 10 1 1", errSyntax},
		{"SET name CL.WINDOW 10 1 PEEK", errSyntax},
		{"SET name CL.WINDOW 10 1 MS", errSyntax},
		{"SET name CL.WINDOW 0 1", Error("ERR limit must be positive")},
		{"SET name" + limit + strings.Repeat(and, mostRuleLimits), errRuleLimits},
		{"SET name CL.THROTTLE 1 1 " + strings.Repeat("0", mostRuleBytes) + "1", errRuleBytes},
	} {
		h.want("CL.RULE "+c.line, c.want)
	}
	require.Equal(t, int64(0), h.do("DBSIZE"))
	h.want("CL.RULE SET name"+limit+strings.Repeat(and, mostRuleLimits-1), ok)
	h.sortedSet("z", "a")
	h.want("RENAME z cl.rules", ok)
	for _, line := range []string{"SET name" + limit, "GET name", "DEL name", "LIST"} {
		h.want("CL.RULE "+line, errWrongType)
	}
	h.want("CL.CHECK name key", errWrongType)
}

func TestClRuleBounds(t *testing.T) {
	h := newHarness(t)
	for i := range mostRules {
		h.do("CL.RULE", "SET", fmt.Sprint("rule", i), "CL.WINDOW", 1, 1)
	}
	h.want("CL.RULE SET more CL.WINDOW 1 1", errMostRules)
	h.want("CL.RULE SET rule7 CL.WINDOW 2 1", ok)
	h.want("CL.RULE DEL rule8", 1)
	h.want("CL.RULE SET more CL.WINDOW 1 1", ok)
	require.Len(t, h.do("CL.RULE LIST"), mostRules)
}

// TestRulesFollowTheirKey: whoever changes the key changes the rules, at once.
func TestRulesFollowTheirKey(t *testing.T) {
	h := newHarness(t)
	h.do("CL.RULE SET r CL.WINDOW 10 60")
	limit := func(want any) {
		t.Helper()
		if n, is := want.(int); is {
			h.want("CL.CHECK r k 0", []any{0, n, n, -1, 0})
		} else {
			h.want("CL.CHECK r k 0", want)
		}
	}
	limit(10)
	h.want("SET cl.rules \"r CL.WINDOW 20 60\\n\"", ok)
	limit(20)
	h.want("APPEND cl.rules \"r CL.WINDOW 30 60\"", 35)
	limit(30)
	payload := h.do("DUMP cl.rules")
	h.want("DEL cl.rules", 1)
	limit(errNoRule)
	h.do("RESTORE", "cl.rules", 0, payload)
	limit(30)
	h.want("RENAME cl.rules other", ok)
	limit(errNoRule)
	h.want("COPY other cl.rules", 1)
	limit(30)
	h.want("SWAPDB 0 3", ok)
	limit(errNoRule)
	h.want("SWAPDB 3 0", ok)
	limit(30)
	h.want("SELECT 5", ok)
	limit(30)
	h.want("CL.RULE SET r CL.WINDOW 40 60", ok)
	h.want("EXISTS cl.rules", 0)
	limit(40)
	h.want("FLUSHDB", ok)
	limit(40)
	h.want("SELECT 0", ok)
	limit(40)
	h.want("PEXPIRE cl.rules 1000", 1)
	limit(40)
	h.advance(999 * time.Millisecond)
	limit(40)
	h.advance(2 * time.Millisecond)
	limit(errNoRule)
	h.want("CL.RULE SET r CL.WINDOW 50 60", ok)
	limit(50)
	h.want("FLUSHALL", ok)
	limit(errNoRule)
}

// TestRulesWrittenByHand: what is wrong in the key is wrong where it is asked, no further.
func TestRulesWrittenByHand(t *testing.T) {
	h := newHarness(t)
	h.want(`SET cl.rules "good CL.WINDOW 10 60\nbad CL.WINDOW x 60\n\n{} nothing\nalone"`, ok)
	h.want("CL.CHECK good k 0", []any{0, 10, 10, -1, 0})
	h.want("CL.CHECK bad k", Error("ERR the rule bad in the key cl.rules is wrong: limit is not an integer or out of range"))
	h.want("CL.CHECK alone k", Error("ERR the rule alone in the key cl.rules is wrong: no such limiter, or none that a rule can have"))
	h.want("CL.RULE GET bad", "CL.WINDOW x 60")
	h.want("CL.RULE SET bad CL.WINDOW 1 60", ok)
	h.want("CL.CHECK bad k 0", []any{0, 1, 1, -1, 0})
	h.want("GET cl.rules", "alone \nbad CL.WINDOW 1 60\ngood CL.WINDOW 10 60\n")
}

// TestRulesInsideATransaction: a check sees what the commands before it wrote, and nobody
// else does before EXEC.
func TestRulesInsideATransaction(t *testing.T) {
	h := newHarness(t)
	h.do("CL.RULE SET r CL.WINDOW 10 60")
	h.do("CL.CHECK r k 0")
	h.do("MULTI")
	for _, line := range []string{"CL.CHECK r k 0", "CL.RULE SET r CL.WINDOW 20 60", "CL.CHECK r k", "CL.CHECK r k", "CL.CHECK r other",
		`SET cl.rules "r CL.WINDOW 30 60\n"`, "CL.CHECK r k 0", "CL.RULE DEL r", "CL.CHECK r k"} {
		h.do(line)
	}
	h.want("EXEC", []any{[]any{0, 10, 10, -1, 0}, ok, []any{0, 20, 19, -1, 60}, []any{0, 20, 18, -1, 60}, []any{0, 20, 19, -1, 60},
		ok, []any{0, 30, 28, -1, 60}, 1, errNoRule})
	h.want("CL.CHECK r k", errNoRule)
	h.want("GET r:{k}:window", "2")
	h.want("GET r:{other}:window", "1")
}

func TestRulesAreNotEvicted(t *testing.T) {
	require.True(t, IsRules(0, []byte("cl.rules")))
	require.False(t, IsRules(1, []byte("cl.rules")))
	require.False(t, IsRules(0, []byte("cl.rule")))
}
