package limits

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// numbers are the five numbers of an answer, as fields of a map.
func numbers(limited, limit, remaining, retry, reset int) []any {
	return []any{"limited", limited, "limit", limit, "remaining", remaining, "retry_after", retry, "reset_after", reset}
}

// limitOf is one limit of a reply in RESP2.
func limitOf(scope, key, limiter, arguments, source, stateKey string, state []any, answer []any, window int) []any {
	head := []any{"scope", scope, "key", key, "limiter", limiter, "arguments", arguments, "source", source, "state_key", stateKey, "state", state}
	return append(append(head, answer...), "window", window, "words", ruleset.Words(limiter+" "+arguments))
}

func explained(rule, source string, shadow int, answer []any, tightest int, limits ...any) []any {
	return append(append([]any{"rule", rule, "source", source, "shadow", shadow}, answer...), "tightest", tightest, "limits", limits)
}

func TestClExplain(t *testing.T) {
	const start = 1_790_000_000_000
	h := servertest.New(t)
	h.At(start * 1e6)
	h.Want("CL.EXPLAIN llm acme", ruleset.NoRule("llm"))
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 50 3600 AND SCOPE org CL.SLIDING 60 1000 AND SCOPE user CL.THROTTLE 9 10 60 AND SCOPE user CL.LOG 20 60")
	org := func(used, end, remaining, reset int) any {
		return limitOf("org", "acme", "CL.WINDOW", "50 3600", "rule", "llm@org:{acme}:window", []any{"used", used, "window_end", end}, numbers(0, 50, remaining, -1, reset), 3600)
	}
	sliding := func(previous, current, end, remaining, reset int) any {
		return limitOf("org", "acme", "CL.SLIDING", "60 1000", "rule", "llm@org:{acme}:sliding",
			[]any{"previous", previous, "current", current, "counts_end", end}, numbers(0, 60, remaining, -1, reset), 1000)
	}
	user := func(tat int, answer []any) any {
		return limitOf("user", "ann", "CL.THROTTLE", "9 10 60", "rule", "llm@user:{ann}:throttle", []any{"tat", tat}, answer, 60)
	}
	log := func(entries, oldest, newest, remaining, reset int) any {
		return limitOf("user", "ann", "CL.LOG", "20 60", "rule", "llm@user:{ann}:log", []any{"entries", entries, "oldest", oldest, "newest", newest},
			numbers(0, 20, remaining, -1, reset), 60)
	}
	h.Want("CL.EXPLAIN llm acme ann 3", explained("llm", "key", 0, numbers(0, 10, 7, -1, 18), 2,
		org(0, 0, 47, 3600), sliding(0, 0, 0, 57, 1667), user(0, numbers(0, 10, 7, -1, 18)), log(0, 0, 0, 17, 60)))
	require.Empty(t, h.Do("KEYS *"))

	h.Do("CL.CHECK llm acme ann 8")
	h.Want("CL.EXPLAIN llm acme ann 3", explained("llm", "key", 0, numbers(1, 10, 2, 6, 48), 2,
		org(8, start+3_600_000, 42, 3600), sliding(0, 8, start+2_000_000, 52, 1876), user(start+48_000, numbers(1, 10, 2, 6, 48)), log(8, start, start, 12, 60)))
	h.Want("CL.EXPLAIN llm acme ann 3 CHARGE", explained("llm", "key", 0, numbers(1, 10, -1, 12, 66), 2,
		org(8, start+3_600_000, 39, 3600), sliding(0, 8, start+2_000_000, 49, 1910), user(start+48_000, numbers(1, 10, -1, 12, 66)), log(8, start, start, 9, 60)))
	h.Want("CL.RULE OVERRIDE llm user ann CL.THROTTLE 99 100 60", ok)
	h.Advance(1000 * time.Second)
	h.Want("CL.EXPLAIN llm acme ann 3", explained("llm", "key", 0, numbers(0, 50, 39, -1, 2600), 0,
		org(8, start+3_600_000, 39, 2600), sliding(8, 0, start+3_000_000, 49, 1667),
		limitOf("user", "ann", "CL.THROTTLE", "99 100 60", "override", "llm@user:{ann}:throttle", []any{"tat", 0}, numbers(0, 100, 97, -1, 2), 60)))
}

// TestClExplainALog: entries that no longer count are not in the state, although the key still has them.
func TestClExplainALog(t *testing.T) {
	h := servertest.New(t)
	const start = 1_790_000_040_000
	h.At(start * 1_000_000)
	h.Do("CL.RULE SET r CL.LOG 20 60")
	for range 3 {
		h.Do("CL.CHECK r k 2")
		h.Advance(20 * time.Second)
	}
	state := func(entries, oldest, newest int) {
		t.Helper()
		limit := h.Do("CL.EXPLAIN r k 0").([]any)[19].([]any)[0].([]any)
		require.EqualValues(t, fmt.Sprint([]any{"entries", entries, "oldest", oldest, "newest", newest}), fmt.Sprint(limit[13]))
	}
	state(4, start+20_000, start+40_000)
	h.Want("ZCARD r:{k}:log", 6)
	h.Advance(39999 * time.Millisecond)
	state(2, start+40_000, start+40_000)
	h.Advance(time.Millisecond)
	state(0, 0, 0)
}

// TestRefusalsCopyNoLog: neither EXPLAIN nor an error copies a large log, although a release is due.
func TestRefusalsCopyNoLog(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.LOG 100000 3600")
	for range 4 {
		h.Do("CL.CHECK r k 10000")
	}
	h.Do("CL.RESERVE r k 1 a 1 RELEASE")
	h.Advance(2 * time.Second)
	for _, line := range []string{"CL.EXPLAIN r k 1", "CL.SETTLE r k none 1", "CL.CHECK r k 20000"} { // the last one asks for more than a request may have
		h.Do(line)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			h.Do(line)
		}
		runtime.ReadMemStats(&after)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)/10, uint64(100_000), line)
		h.Want("ZCARD r:{k}:release", 1)
	}
	h.Want("CL.CHECK r k 0 MS", []any{0, 100000, 60000, -1, 3598000})
	h.Want("ZCARD r:{k}:release", 0)
	h.Want("ZCARD r:{k}:log", 40000)
}

// TestClExplainForms: a shadow rule, a rule of the file, milliseconds, odd keys, and a map in RESP3.
func TestClExplainForms(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte("rules:\n  one:\n    limits: CL.WINDOW 5 60\n    shadow: true\n")))
	refused := limitOf("", "{k", "CL.WINDOW", "5 60", "rule", "{k:one:window", []any{"used", 0, "window_end", 0}, numbers(1, 5, 5, -1, 0), 60_000)
	h.Want("CL.EXPLAIN one {k 6 MS", explained("one", "file", 1, numbers(0, 5, 5, -1, 0), 0, refused))
	h.Do("HELLO 3")
	answer, limit := numbers(0, 5, 4, -1, 60), limitOf("", "k", "CL.WINDOW", "5 60", "rule", "one:{k}:window", nil, numbers(0, 5, 4, -1, 60), 60)
	limit[13] = servertest.MapOf("used", 0, "window_end", 0)
	h.Want("CL.EXPLAIN one k", servertest.MapOf(explained("one", "file", 1, answer, 0, servertest.MapOf(limit...))...))
	h.Do("HELLO 2")
	require.Equal(t, "allowed=0,limited=0,looked=2", h.Info("throttle")["limiter_cl.explain"])
}

func TestClExplainErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 5 60 AND SCOPE b CL.THROTTLE 5 6 60")
	for line, want := range map[string]error{
		"CL.EXPLAIN r":               commands.WrongArity("cl.explain"),
		"CL.EXPLAIN r x":             commands.Error("ERR the rule r has the scopes a, b: give a key for each, in this order"),
		"CL.EXPLAIN r x y 1 EXPLAIN": commands.Error("ERR syntax error: 'EXPLAIN' is not an option of CL.EXPLAIN: use MS, PEEK, CHARGE"),
		"CL.EXPLAIN r x y -1":        commands.Error("ERR quantity '-1' must not be negative"),
		"CL.EXPLAIN r x l":           commands.ErrWrongType,
	} {
		h.Do("ZADD r@b:{l}:throttle 1 m")
		h.Want(line, want)
	}
	h.Do("ACL SETUSER asker on nopass ~* +@read")
	c := h.NewClient(t)
	c.Want("AUTH asker any", ok)
	require.Len(t, c.Do("CL.EXPLAIN r x y"), 20)
	h.Do("ACL SETUSER asker -@throttle")
	require.ErrorContains(t, c.Do("CL.EXPLAIN r x y").(error), "NOPERM")
}

func TestClExplainElsewhere(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 5 60")
	want := h.Do("CL.EXPLAIN r k 2")
	h.Do("MULTI")
	h.Do("CL.RULE SET r CL.WINDOW 6 60")
	h.Do("CL.EXPLAIN r k 2")
	require.Equal(t, int64(4), h.Do("EXEC").([]any)[1].([]any)[11])
	h.Do("CL.RULE SET r CL.WINDOW 5 60")
	require.Equal(t, want, h.Do("EVAL_RO", "return redis.call('CL.EXPLAIN', KEYS[1], KEYS[2], 2)", "2", "r", "k"))
	require.Equal(t, []any{}, h.Do("KEYS *"))

	cluster := servertest.New(t, "--cluster-enabled", "yes")
	cluster.Do("CL.RULE SET r SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.WINDOW 50 60")
	cluster.Want("CL.EXPLAIN r x y", commands.ErrCrossSlot)
	require.Len(t, cluster.Do("CL.EXPLAIN r {t}x {t}y"), 20)
}

// TestExplainFindsWhatCheckAnswers: CL.EXPLAIN has the numbers of the CL.CHECK after it, and changes nothing. Some reservations
// have ended before, and nobody has given them back.
func TestExplainFindsWhatCheckAnswers(t *testing.T) {
	r := rand.New(randtest.Source(t))
	limits := []string{"CL.WINDOW 9 5", "CL.WINDOW 30 20 ALIGN", "CL.SLIDING 12 6", "CL.LOG 10 7", "CL.LOG 15 9 RESOLUTION 2", "CL.LOG 9 5 STRICT", "CL.THROTTLE 9 20 10"}
	one := func() string { return limits[r.IntN(len(limits))] }
	histories := 60
	if testing.Short() {
		histories = 10
	}
	due := 0
	for range histories {
		h := servertest.New(t)
		var seen setKeys
		h.Store.Observe(&seen)
		h.Do("CL.RULE SET r SCOPE org " + one() + " AND SCOPE user " + one() + " AND SCOPE user " + one())
		h.Do("CL.RULE OVERRIDE r user bob " + one() + " AND " + one())
		for step := range 60 {
			h.Advance(time.Duration(r.Int64N(2e9)))
			keys := "acme " + []string{"ann", "bob", "a}b"}[r.IntN(3)]
			if r.IntN(3) == 0 {
				h.Do(fmt.Sprint("CL.RESERVE r ", keys, " ", 1+r.IntN(6), " id", step, " ", 1+r.IntN(8), " RELEASE"))
				continue
			}
			request := fmt.Sprint(" r ", keys, " ", r.IntN(5), []string{"", " CHARGE"}[r.IntN(2)], " MS")
			dump, changes := states(h), len(seen.keys)
			why := h.Do("CL.EXPLAIN" + request).([]any)
			require.Len(t, seen.keys, changes, "%s at %d", request, h.Clock.Time)
			require.Equal(t, dump, states(h))
			did := h.Do("CL.CHECK" + request + " EXPLAIN").([]any)
			requireSame(t, why, did, request)
			due += len(seen.keys) - changes
		}
	}
	require.Positive(t, due)
}

// requireSame compares a reply of CL.EXPLAIN with one of CL.CHECK and EXPLAIN.
func requireSame(t *testing.T, why, did []any, request string) {
	t.Helper()
	five := func(m []any, at int) []any { return []any{m[at+1], m[at+3], m[at+5], m[at+7], m[at+9]} }
	require.Equal(t, did[:5], five(why, 6), request)
	all := why[19].([]any)
	require.Len(t, did[7], len(all), request)
	for i, one := range did[7].([]any) {
		limit, same := all[i].([]any), one.([]any)
		require.Equal(t, same, append(append([]any{limit[1], limit[5].(string) + " " + limit[7].(string)}, five(limit, 14)...), limit[25], limit[9]), request)
	}
	tightest := all[why[17].(int64)].([]any)
	require.Equal(t, did[5:7], []any{tightest[1], tightest[5].(string) + " " + tightest[7].(string)}, request)
}

// states are all keys of the store with their values and expiries.
func states(h *servertest.Harness) map[string]any {
	all := map[string]any{}
	for _, key := range h.Do("KEYS *").([]any) {
		all[key.(string)] = []any{h.Do("DUMP", key), h.Do("PEXPIRETIME", key)}
	}
	return all
}

// TestErrorsGiveNothingBack: a request that ends in an error changes nothing, also if reservations are due.
func TestErrorsGiveNothingBack(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 100 3600 AND SCOPE user CL.LOG 100 3600 AND SCOPE user CL.THROTTLE 99 100 3600")
	h.Do("CL.RULE SET other CL.WINDOW 100 3600")
	h.Do("CL.CHECK r acme ann 5")
	h.Want("CL.RESERVE r acme ann 60 a 30 RELEASE", []any{0, 100, 35, -1, 3600})
	h.Do("ZADD r@user:{bob}:throttle 1 m")
	h.Do("ZADD other:{k}:window 1 m")
	h.Advance(30 * time.Second)
	dump := states(h)
	var seen setKeys
	h.Store.Observe(&seen)
	for _, line := range []string{
		"CL.SETTLE r acme ann a 1", "CL.CHECK r acme ann -1", "CL.CHECK r acme bob", "CL.CHECK r acme ann 9223372036854775807 CHARGE",
		"CL.MCHECK 3 r acme r ann other k", "CL.MCHECK 2 r acme r ann QUANTITY -1", "CL.RESERVE r acme ann 1 id 0 RELEASE", "CL.RESERVE r acme bob 1 id 9 RELEASE",
	} {
		_, failed := h.Do(line).(error)
		require.True(t, failed, line)
		require.Empty(t, seen.keys, line)
		require.Equal(t, dump, states(h), line)
	}
	h.Want("CL.CHECK r acme ann 1", []any{0, 100, 94, -1, 3600})
	h.Want("GET r@org:{acme}:window", "6")
	h.Want("EXISTS r@org:{acme}:release r@user:{ann}:release", 0)
}
