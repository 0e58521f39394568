package limits

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const llmRule = "CL.RULE SET llm SCOPE org CL.WINDOW 50 2592000 AND SCOPE team CL.WINDOW 20 86400 ALIGN AND SCOPE user CL.THROTTLE 9 10 60"

// TestScopes: a rule limits several keys together, all or none.
func TestScopes(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want(llmRule, ok)
	h.Want("CL.RULE GET llm", llmRule[len("CL.RULE SET llm "):])
	h.Want("CL.CHECK llm acme search ann 8", []any{0, 10, 2, -1, 48})
	h.Want("CL.CHECK llm acme search ann 3", []any{1, 10, 2, 6, 48})
	h.Want("CL.CHECK llm acme search bob 9", []any{0, 10, 1, -1, 54})
	h.Want("CL.CHECK llm acme search eve 4 MS", []any{1, 20, 3, 35_200_000, 35_200_000})
	h.Want("CL.CHECK llm acme ops eve 4 PEEK", []any{0, 10, 6, -1, 24})
	h.Want("EXISTS llm@user:{eve}:throttle llm@team:{ops}:window", 0)
	h.Want("GET llm@org:{acme}:window", "17")
	h.Want("GET llm@team:{search}:window", "17")
	h.Want("CL.TOP", []any{[]any{"ann", 1, 0}, []any{"search", 1, 0}})

	// One key in several scopes, and charges in all of them.
	h.Want("CL.CHECK llm x x x 25 CHARGE", []any{1, 20, -5, 35200, 35200})
	h.Want("GET llm@org:{x}:window", "25")
	h.Want("CL.CHECK llm acme search", commands.Error("ERR the rule llm has the scopes org, team, user: give a key for each, in this order"))
	h.Want("CL.CHECK llm acme search ann 1 more", commands.Error("ERR syntax error: 'more' is not an option of CL.CHECK: use MS, PEEK, CHARGE, EXPLAIN"))
}

// TestForgottenScope: if a key is forgotten, neither a quantity nor an option becomes the key of the last scope.
func TestForgottenScope(t *testing.T) {
	h := servertest.New(t)
	h.Do(llmRule)
	h.Do("CL.RULE SET one CL.WINDOW 50 60")
	for _, command := range []string{"CL.CHECK", "CL.EXPLAIN"} {
		for _, words := range []string{
			"acme ann 7000", "acme ann 0", "acme ann -1", "acme ann PEEK", "acme ann ms", "acme ann QUANTITY 7000", "acme ann CHARGE 5",
		} {
			last := strings.Fields(words)[2]
			h.Want(command+" llm "+words, commands.Error("ERR the rule llm has the scopes org, team, user: '"+last+
				"' may be a key or not: write QUANTITY and a number after the keys"))
		}
	}
	h.Want("KEYS *", []any{})
	h.Want("CL.CHECK llm acme search 7000 3", []any{0, 10, 7, -1, 18})
	h.Want("CL.CHECK llm acme search 7000 QUANTITY 1", []any{0, 10, 6, -1, 24})
	h.Want("CL.CHECK llm acme search 7000 PEEK QUANTITY 1", []any{0, 10, 5, -1, 30})
	h.Want("CL.CHECK llm acme search peek QUANTITY 1", []any{0, 10, 9, -1, 6})
	h.Want("CL.CHECK one 7000", []any{0, 50, 49, -1, 60})
}

// TestExplain: EXPLAIN names the tightest limit, with the numbers of each.
func TestExplain(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Do(llmRule)
	org, team, user := "CL.WINDOW 50 2592000", "CL.WINDOW 20 86400 ALIGN", "CL.THROTTLE 9 10 60"
	h.Want("CL.CHECK llm acme search ann 8 EXPLAIN", []any{0, 10, 2, -1, 48, "user", user, []any{
		[]any{"org", org, 0, 50, 42, -1, 2592000, 2592000, "rule"}, []any{"team", team, 0, 20, 12, -1, 35200, 86400, "rule"}, []any{"user", user, 0, 10, 2, -1, 48, 60, "rule"}}, 0})
	h.Want("CL.CHECK llm acme search ann 3 MS EXPLAIN", []any{1, 10, 2, 6000, 48000, "user", user, []any{
		[]any{"org", org, 0, 50, 42, -1, 2592000000, 2592000000, "rule"}, []any{"team", team, 0, 20, 12, -1, 35200000, 86400000, "rule"}, []any{"user", user, 1, 10, 2, 6000, 48000, 60000, "rule"}}, 0})
	h.Do("CL.RULE SET one CL.WINDOW 5 60 SHADOW")
	h.Want("CL.CHECK one k 6 EXPLAIN", []any{0, 5, 5, -1, 0, "", "CL.WINDOW 5 60", []any{[]any{"", "CL.WINDOW 5 60", 1, 5, 5, -1, 0, 60, "rule"}}, 1})
}

func TestScopeErrors(t *testing.T) {
	h := servertest.New(t)
	for words, want := range map[string]error{
		"SCOPE":                    ruleset.ErrScope,
		"SCOPE a{b} CL.WINDOW 1 1": wrong("scope", "a{b}", ruleset.ErrScope),
		"SCOPE a":                  noLimiter("a limiter is missing"),
		"SCOPE a CL.WINDOW 1":      commands.Error("ERR period is missing in CL.WINDOW"),
		"SCOPE a CL.WINDOW 1 1 AND CL.WINDOW 1 1": ruleset.ErrMixed,
		"CL.WINDOW 1 1 AND SCOPE a CL.WINDOW 1 1": ruleset.ErrMixed,
	} {
		h.Want("CL.RULE SET r "+words, want)
	}
	require.Zero(t, h.Store.Changes())
}

// TestScopesOfTheFile: the file gives scopes in their order.
func TestScopesOfTheFile(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte("rules:\n  llm:\n    scopes:\n      org: CL.WINDOW 50 60\n      user:\n      - CL.WINDOW 9 60\n      - CL.THROTTLE 4 1 1\n")))
	h.Want("CL.RULE GET llm", "SCOPE org CL.WINDOW 50 60 AND SCOPE user CL.WINDOW 9 60 AND SCOPE user CL.THROTTLE 4 1 1")
	h.Want("CL.CHECK llm acme ann 3", []any{0, 5, 2, -1, 3})
	h.Want("GET llm@user:{ann}:window", "3")
}

// TestScopesWithOddKeys: keys with unusual braces work, with parsed rules, with rules that must be
// parsed, and in a transaction.
func TestScopesWithOddKeys(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.THROTTLE 7 1 60 AND SCOPE b CL.WINDOW 60 60")
	keys := []string{"", "{}", "a}b", "}{", "{a}b", "k"}
	for i, key := range keys {
		remaining := func(want int64, other string) {
			require.Equal(t, want, h.Do("CL.CHECK", "r", other, key).([]any)[2], "%q %q", key, other)
		}
		remaining(7, keys[(i+1)%len(keys)])
		h.Do("CL.RULE SET other CL.WINDOW 1 1")
		remaining(6, keys[(i+2)%len(keys)])
		h.Do("MULTI")
		h.Do("CL.CHECK", "r", key, key)
		require.Len(t, h.Do("EXEC"), 1)
	}
}

// TestScopesInACluster: keys of several slots are refused, keys with one hash tag are not.
func TestScopesInACluster(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 50 60 AND SCOPE b CL.WINDOW 50 60")
	h.Want("CL.CHECK r x y", commands.ErrCrossSlot)
	h.Want("CL.CHECK r {x}a {x}b", []any{0, 50, 49, -1, 60})
	require.Equal(t, int64(2), h.Do("DBSIZE"))
}

// TestManyScopes: 64 clients at once on three scopes. Each limit counts exactly what passed.
func TestManyScopes(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 3000 3600 AND SCOPE team CL.SLIDING 1700 3600 AND SCOPE user CL.LOG 300 3600")
	source := rand.New(randtest.Source(t))
	var seeds [clientsAtOnce]uint64
	for i := range seeds {
		seeds[i] = source.Uint64()
	}
	var orgs, teams, users [8]atomic.Int64
	together(h, func(c *servertest.Client, number int) {
		r := rand.New(rand.NewPCG(seeds[number], 0))
		for range 60 {
			org, team, user, quantity := r.IntN(2), r.IntN(4), r.IntN(8), 1+r.Int64N(5)
			if c.Do("CL.CHECK", "llm", fmt.Sprint("o", org), fmt.Sprint("t", team), fmt.Sprint("u", user), quantity).([]any)[0] == int64(0) {
				orgs[org].Add(quantity)
				teams[team].Add(quantity)
				users[user].Add(quantity)
			}
		}
	})
	for i := range 8 {
		require.Equal(t, 300-users[i].Load(), h.Do(fmt.Sprint("CL.CHECK llm x y u", i, " 0")).([]any)[2], "user %d", i)
		require.LessOrEqual(t, int64(300-5), users[i].Load(), "clients must have been turned away")
	}
	for i := range 4 {
		explained := h.Do(fmt.Sprint("CL.CHECK llm o", i%2, " t", i, " x 0 EXPLAIN")).([]any)[7].([]any)
		require.Equal(t, 3000-orgs[i%2].Load(), explained[0].([]any)[4], "org %d", i%2)
		require.Equal(t, 1700-teams[i].Load(), explained[1].([]any)[4], "team %d", i)
	}
}

func TestScopesAllocateNothing(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.THROTTLE 15 30 60 AND SCOPE b CL.WINDOW 1000000 3600 AND SCOPE c CL.WINDOW 100000 3600 ALIGN")
	sent := servertest.Pipeline(16, "CL.CHECK", "r", "acme", "search", "ann", "2")
	servertest.Exchange(t, h.Session, sent)
	servertest.Exchange(t, h.Session, sent)
	servertest.NoAllocs(t, 1000, func() {
		h.Clock.Advance(int64(time.Millisecond))
		servertest.Exchange(t, h.Session, sent)
	})
}
