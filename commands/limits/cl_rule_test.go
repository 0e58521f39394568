package limits

import (
	"cellserver/commands"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"
	"cellserver/store"
	"cellserver/store/hash"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClRule(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE GET login", nil)
	h.Want("CL.RULE LIST", []any{})
	h.Want("CL.RULE DEL login", 0)
	h.Want("CL.RULE RESET login k", ruleset.NoRule("login"))
	h.Want("CL.RULE SET login CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow", ok)
	h.Want("CL.RULE GET login", "CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow")
	h.Want("CL.RULE SET api CL.WINDOW 10 1", ok)
	h.Want("CL.RULE LIST", []any{
		[]any{"api", "CL.WINDOW 10 1", "key", []any{}, "", "10/second in windows"},
		[]any{"login", "CL.THROTTLE 4 5 60 AND cl.window 100 86400 ALIGN shadow", "key", []any{}, "",
			"5/minute burst 5 AND 100/day by the clock SHADOW"},
	})
	h.Want("CL.RULE SET login CL.WINDOW 7 1", ok)
	h.Want("CL.RULE GET login", "CL.WINDOW 7 1")
	h.Want("CL.RULE DEL login", 1)
	h.Want("CL.RULE DEL login", 0)
	h.Want("CL.RULE DEL api", 1)
	require.Zero(t, h.Store.Len(store.Own))
	require.NotEmpty(t, h.Do("CL.RULE HELP"))
}

func TestClRuleErrors(t *testing.T) {
	h := servertest.New(t)
	limit := " CL.WINDOW 10 1"
	and := " AND" + limit
	for _, c := range []struct {
		line string
		want error
	}{
		{"", commands.WrongArity("cl.rule")},
		{"SET", commands.WrongArity("cl.rule|set")},
		{"SET name", commands.WrongArity("cl.rule|set")},
		{"GET", commands.WrongArity("cl.rule|get")},
		{"GET a b", commands.Error("ERR syntax error: 'b' is not an option of CL.RULE GET: use WORDS, JSON")},
		{"GET a JSON b", commands.Error("ERR syntax error: 'b' is a word too much after CL.RULE GET")},
		{"LIST JSON b", commands.Error("ERR syntax error: 'b' is a word too much after CL.RULE LIST")},
		{"DEL", commands.WrongArity("cl.rule|del")},
		{"LIST a", commands.Error("ERR syntax error: 'a' is not an option of CL.RULE LIST: use JSON")},
		{"NOPE", commands.Error("ERR unknown subcommand 'NOPE'. Try CL.RULE HELP.")},
		{"SET a{b}" + limit, wrong("name", "a{b}", ruleset.ErrName)},
		{`SET "a b"` + limit, wrong("name", "a b", ruleset.ErrName)},
		{`SET ""` + limit, wrong("name", "", ruleset.ErrName)},
		{"SET a:b" + limit, wrong("name", "a:b", ruleset.ErrName)},
		{"SET ." + limit, wrong("name", ".", ruleset.ErrDots)},
		{"SET .." + limit, wrong("name", "..", ruleset.ErrDots)},
		{"SET a/../b" + limit, wrong("name", "a/../b", ruleset.ErrDots)},
		{"SET a/." + limit, wrong("name", "a/.", ruleset.ErrDots)},
		{"SET .. JSON {}", wrong("name", "..", ruleset.ErrDots)},
		{"SET name CL.THROTTLE 0 1 9223372036", ruleset.ErrLongLimit},
		{"SET name CL.WINDOW 1 9223372036", ruleset.ErrLongLimit},
		{"SET name CL.SLIDING 1 3153600001", ruleset.ErrLongLimit},
		{"SET name CL.LOG 1 9223372036", ruleset.ErrLongLimit},
		{"SET " + strings.Repeat("a", ruleset.MaxNameBytes+1) + limit, wrong("name", strings.Repeat("a", 40)+"…", ruleset.ErrName)},
		{"SET name SHADOW", noLimiter("a limiter is missing")},
		{"SET name AND", noLimiter("a limiter is missing")},
		{"SET name" + limit + " AND", noLimiter("a limiter is missing")},
		{"SET name AND" + limit, noLimiter("a limiter is missing")},
		{"SET name" + limit + " AND SHADOW", noLimiter("a limiter is missing")},
		{"SET name" + limit + " SHADOW SHADOW", ofWindow("SHADOW")},
		{"SET name SET 10 1", noLimiter("'SET' is not a limiter of a rule")},
		{"SET name CL.CHECK 10 1", noLimiter("'CL.CHECK' is not a limiter of a rule")},
		{"SET name CL.WINDOW 10", commands.Error("ERR period is missing in CL.WINDOW")},
		{"SET name CL.WINDOW 10 1 1", ofWindow("1")},
		{"SET name CL.WINDOW 10 1 PEEK", ofWindow("PEEK")},
		{"SET name CL.WINDOW 10 1 MS", ofWindow("MS")},
		{"SET name CL.WINDOW -1 1", commands.Error("ERR limit '-1' must not be negative")},
		{"SET name" + limit + strings.Repeat(and, ruleset.MaxLimits), ruleset.ErrLimits},
		{"SET name CL.THROTTLE 1 1 " + strings.Repeat("0", ruleset.MaxRuleBytes) + "1", ruleset.ErrRuleBytes},
	} {
		h.Want("CL.RULE "+c.line, c.want)
	}
	require.Zero(t, h.Store.Len(store.Own))
	h.Want("CL.RULE SET name"+limit+strings.Repeat(and, ruleset.MaxLimits-1), ok)
}

// wrong is the error of a name or of a scope, which it repeats.
func wrong(what, word string, err error) error {
	return commands.Error(strings.Replace(err.Error(), what, what+" '"+word+"'", 1))
}

// noLimiter is the error of a rule without a limiter where one must stand.
func noLimiter(cause string) error {
	return commands.Error("ERR " + cause + ": use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, BLOCK, ALLOW, or words such as 100/minute")
}

// ofWindow is the error of a word that is not an option of CL.WINDOW in a rule.
func ofWindow(word string) error {
	return commands.Error("ERR syntax error: '" + word + "' is not an option of CL.WINDOW in a rule: use ALIGN, TZ, DAY")
}

func TestClRuleBounds(t *testing.T) {
	h := servertest.New(t)
	for i := range ruleset.MaxRules {
		h.Do("CL.RULE", "SET", fmt.Sprint("rule", i), "CL.WINDOW", 1, 1)
	}
	h.Want("CL.RULE SET more CL.WINDOW 1 1", ruleset.ErrMaxRules)
	h.Want("CL.RULE SET rule7 CL.WINDOW 2 1", ok)
	h.Want("CL.RULE DEL rule8", 1)
	h.Want("CL.RULE SET more CL.WINDOW 1 1", ok)
	require.Len(t, h.Do("CL.RULE LIST"), ruleset.MaxRules)
}

// TestLongestRules: the longest limits that CL.RULE SET accepts have answers in the year 2027, also when they are used up. The
// key was not charged beyond its limit.
func TestLongestRules(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	for _, limit := range []string{"CL.THROTTLE 0 1 3153600000", "CL.WINDOW 1 3153600000", "CL.SLIDING 1 3153600000", "CL.LOG 1 3153600000"} {
		require.Equal(t, ok, h.Do("CL.RULE SET long "+limit))
		for limited := range 2 {
			answer, is := h.Do("CL.CHECK long key").([]any)
			require.True(t, is, limit)
			require.EqualValues(t, limited, answer[0], limit)
		}
	}
}

// storeRule stores a rule as another release may have stored it. An override is its scope, its key and its limits.
func storeRule(h *servertest.Harness, name, text string, overrides ...[3]string) {
	tx, key := h.Store.NewTx(), []byte("{cl.rules}"+name)
	tx.BeginKey(h.Clock.Now(), store.Own, key)
	defer tx.End()
	e := tx.Write(key)
	e.Change(hash.Set, store.Operands{Value: []byte{}, More: []byte(text)})
	for _, o := range overrides {
		e.Change(hash.Set, store.Operands{Value: []byte(o[0] + " " + o[1]), More: []byte(o[2])})
	}
}

// TestStoredRulesThatNobodySetsNow: rules of earlier versions stay, with their overrides, when another rule changes.
func TestStoredRulesThatNobodySetsNow(t *testing.T) {
	h := servertest.New(t)
	storeRule(h, "..", "CL.WINDOW 2 60")
	storeRule(h, "life", "CL.WINDOW 5 4294967295", [3]string{"-", "acme", "CL.WINDOW 1000 60"})
	storeRule(h, "vip", "CL.WINDOW 1 60", [3]string{"-", "acme", "CL.WINDOW 1000 4294967295"})
	h.Want("CL.RULE SET zoo CL.WINDOW 1 1", ok)
	require.Len(t, h.Do("CL.RULE LIST"), 4)
	h.Want("CL.CHECK vip acme 7", []any{0, 1000, 993, -1, 4294967295})
	h.Want("CL.CHECK .. key", []any{0, 2, 1, -1, 60})
	h.Want("CL.RULE OVERRIDE life - other CL.WINDOW 1 4294967295", ruleset.ErrLongLimit)
	h.Want("CL.RULE OVERRIDE life - other CL.WINDOW 1 60", ok)
	h.Want("CL.RULE SET life CL.WINDOW 1 4294967295", ruleset.ErrLongLimit)
	h.Want("CL.RULE TRY life CL.WINDOW 1 4294967295", ruleset.ErrLongLimit)
	require.ErrorContains(t, h.Do("CL.RULE", "SET", "life", "JSON", `{"limits":["CL.WINDOW 1 4294967295"]}`).(error), "period is too long")
}

// TestWrongStoredRules: a stored rule that is wrong is an error of its CL.CHECK alone, and CL.RULE SET replaces it.
func TestWrongStoredRules(t *testing.T) {
	h := servertest.New(t)
	storeRule(h, "good", "CL.WINDOW 10 60")
	storeRule(h, "bad", "CL.WINDOW x 60")
	storeRule(h, "half", "CL.WINDOW 1 60", [3]string{"none", "k", "CL.WINDOW 2 60"})
	for range 2 {
		h.Want("CL.CHECK good k 0", []any{0, 10, 10, -1, 0})
		h.Want("CL.CHECK bad k", commands.Error("ERR the stored rule bad is wrong, so CL.RULE SET it again: limit 'x' is not an integer or out of range"))
		h.Want("CL.CHECK half k", commands.Error("ERR the stored rule half is wrong, so CL.RULE SET it again: "+
			"the rule half has no scopes: write - in the place of 'none'"))
		h.Server.RulesReplaced()
	}
	h.Want("CL.RULE GET bad", "CL.WINDOW x 60")
	h.Want("CL.RULE SET bad CL.WINDOW 1 60", ok)
	h.Want("CL.RULE SET half CL.WINDOW 1 60", ok)
	for range 2 {
		h.Want("CL.CHECK bad k 0", []any{0, 1, 1, -1, 0})
		h.Want("CL.CHECK half k 0", []any{0, 1, 1, -1, 0})
		h.Server.RulesReplaced()
	}
}

// TestRulesInsideATransaction: CL.CHECK sees the rules that earlier commands of its transaction
// wrote. Other clients see them after EXEC.
func TestRulesInsideATransaction(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 10 60")
	h.Do("CL.CHECK r k 0")
	h.Do("MULTI")
	for _, line := range []string{"CL.CHECK r k 0", "CL.RULE SET r CL.WINDOW 20 60", "CL.CHECK r k", "CL.CHECK r k", "CL.CHECK r other",
		"CL.RULE SET r CL.WINDOW 30 60", "CL.CHECK r k 0", "CL.RULE DEL r", "CL.CHECK r k"} {
		h.Do(line)
	}
	h.Want("EXEC", []any{[]any{0, 10, 10, -1, 0}, ok, []any{0, 20, 19, -1, 60}, []any{0, 20, 18, -1, 60}, []any{0, 20, 19, -1, 60},
		ok, []any{0, 30, 28, -1, 60}, 1, ruleset.NoRule("r")})
	h.Want("CL.CHECK r k", ruleset.NoRule("r"))
	h.Want("GET r:{k}:window", "2")
	h.Want("GET r:{other}:window", "1")
}

// TestOverrides: one key has limits of its own. The used quantity stays used.
func TestOverrides(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Do(llmRule)
	h.Want("CL.CHECK llm acme search ann 10", []any{0, 10, 0, -1, 60})
	h.Want("CL.RULE OVERRIDE llm user ann CL.THROTTLE 29 10 60 AND CL.WINDOW 25 60", ok)
	h.Want(`CL.RULE OVERRIDE llm org "a c%\nme" CL.WINDOW 7 60`, ok)
	h.Want("CL.CHECK llm acme search ann", []any{0, 20, 9, -1, 35200})
	h.Want(`CL.CHECK llm "a c%\nme" ops ann 8`, []any{1, 7, 7, -1, 0})
	explained := h.Do("CL.CHECK llm acme x ann 0 EXPLAIN").([]any)[7].([]any)
	require.Len(t, explained, 4)
	require.Equal(t, "rule", explained[1].([]any)[8])
	require.Equal(t, []any{"user", "CL.WINDOW 25 60", int64(0), int64(25), int64(24), int64(-1), int64(60), int64(60), "override"}, explained[3])

	// A change of the rule keeps the overrides.
	listed := func() any { return h.Do("CL.RULE LIST").([]any)[0].([]any)[3] }
	want := []any{[]any{"org", "a c%\nme", "CL.WINDOW 7 60", "7/minute in windows"},
		[]any{"user", "ann", "CL.THROTTLE 29 10 60 AND CL.WINDOW 25 60", "10/minute burst 30 AND 25/minute in windows"}}
	require.Equal(t, want, listed())
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 60 2592000 AND SCOPE user CL.THROTTLE 9 10 60")
	require.Equal(t, want, listed())
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 60 2592000")
	require.Equal(t, want[:1], listed())
	h.Want(`CL.RULE OVERRIDE llm org "a c%\nme" DEL`, 1)
	h.Want("CL.RULE OVERRIDE llm org nobody DEL", 0)
	h.Want("CL.RULE LIST", []any{[]any{
		"llm", "SCOPE org CL.WINDOW 60 2592000", "key", []any{}, "", "60 per 30 days in windows per org"}})

	eight := "SCOPE a CL.WINDOW 50 60" + strings.Repeat(" AND SCOPE a CL.WINDOW 50 60", 7)
	h.Want("CL.RULE SET full "+eight, ok)
	h.Want("CL.RULE SET full SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.WINDOW 50 60", ok)
	h.Want("CL.RULE OVERRIDE full a k CL.WINDOW 50 60"+strings.Repeat(" AND CL.WINDOW 50 60", 6), ok)
	h.Want("CL.RULE OVERRIDE full b k CL.WINDOW 9 60 AND CL.WINDOW 9 90", ruleset.ErrLimits)
	h.Want("CL.RULE OVERRIDE full a k CL.WINDOW 50 60", ok)
	h.Want("CL.RULE OVERRIDE full b k CL.WINDOW 9 60 AND CL.WINDOW 9 90", ok)
	h.Do("CL.RULE DEL full")

	h.Do("CL.RULE SET one CL.WINDOW 1 60")
	h.Want("CL.RULE OVERRIDE one - vip CL.WINDOW 5 60", ok)
	h.Want("CL.CHECK one vip 5", []any{0, 5, 0, -1, 60})
	h.Want("CL.CHECK one other 5", []any{1, 1, 1, -1, 0})
	require.NoError(t, h.Server.UseRules("f", []byte("rules: {file: {limits: CL.WINDOW 1 60, overrides: {'-': {vip: [CL.WINDOW 5 60, CL.LOG 4 60]}}}}")))
	h.Want("CL.CHECK file vip 4", []any{0, 4, 0, -1, 60})
	h.Want("CL.RULE OVERRIDE file - k CL.WINDOW 5 60", commands.Error("ERR the rule 'file' comes from the rules-file or rules-url: write its overrides there"))
	for words, want := range map[string]error{
		"none - k CL.WINDOW 5 60": ruleset.NoRule("none"),
		"one x k CL.WINDOW 5 60":  commands.Error("ERR the rule one has no scopes: write - in the place of 'x'"),
		"llm - k CL.WINDOW 5 60":  commands.Error("ERR the rule llm has the scopes org: '-' is not one of them"),
		"one - k CL.WINDOW -1 60": commands.Error("ERR limit '-1' must not be negative"),
		"one - k SCOPE":           noLimiter("'SCOPE' is not a limiter of a rule"),
		"one - k CL.WINDOW 5 60" + strings.Repeat(" AND CL.WINDOW 1 1", ruleset.MaxLimits): ruleset.ErrLimits,
		"one - " + strings.Repeat("k", 513) + " CL.WINDOW 5 60":                            ruleset.ErrOverrideKey,
	} {
		h.Want("CL.RULE OVERRIDE "+words, want)
	}
}

// TestManyOverrides: the number of overrides is bounded, and the server parses all of them.
func TestManyOverrides(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1 60")
	for i := range ruleset.MaxOverrides {
		h.Do("CL.RULE", "OVERRIDE", "r", "-", fmt.Sprint("k", i), "CL.WINDOW", 9, 60)
	}
	h.Want("CL.CHECK r k4095 9", []any{0, 9, 0, -1, 60})
	h.Want("CL.RULE OVERRIDE r - more CL.WINDOW 9 60", ruleset.ErrMaxOverrides)
	h.Want("CL.RULE OVERRIDE r - k7 CL.WINDOW 8 60", ok)
	for range 2 {
		h.Want("CL.CHECK r k7 0", []any{0, 8, 8, -1, 0})
		h.Want("CL.CHECK r k4095 0", []any{0, 9, 0, -1, 60})
		h.Server.RulesReplaced()
	}
}

// TestTryKeepsOverrides: keys with limits of their own keep them on trial.
func TestTryKeepsOverrides(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.WINDOW 1 60")
	h.Do("CL.RULE OVERRIDE api - gold CL.WINDOW 3 60")
	h.Do("CL.RULE TRY api CL.WINDOW 1 60")
	for range 4 {
		h.Do("CL.CHECK api gold")
		h.Do("CL.CHECK api lead")
	}
	h.Want("CL.RULE TRY api CL.WINDOW 2 60", []any{0, 8, 4, 4, 3})
}
