package limits

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// namedScopes are requests that name the scopes of llm. Each of them has the same keys.
var namedScopes = []string{
	"CL.CHECK llm@org,team,user acme search ann 2", "CL.CHECK llm@user,org,team ann acme search QUANTITY 2",
	"CL.CHECK llm@user,team,org ann search acme 2 MS", "CL.MCHECK 3 llm@user ann llm@team search llm@org acme QUANTITY 2",
	"CL.RESERVE llm@team,user,org search ann acme 2 id 60", "CL.RESERVE llm@team,user,org search ann acme id2 60 QUANTITY 2 EXPLAIN",
	`EVAL "return redis.call('CL.CHECK','llm@user,team,org','ann','search','acme',2)" 0`,
}

// TestNamedScopes: a request may name its scopes, in any order. Each key counts in its scope, and all keys are seen by
// those who ask for them.
func TestNamedScopes(t *testing.T) {
	for _, line := range namedScopes {
		h := servertest.New(t)
		h.At(1_790_000_000_000_000_000)
		h.Do(llmRule)
		h.Do(line)
		h.Want("CL.EXPLAIN llm@team,user,org search ann acme 0", h.Do("CL.EXPLAIN llm acme search ann 0"))
		h.Want("GET llm@org:{acme}:window", "2")
		h.Want("GET llm@team:{search}:window", "2")
		h.Want("EXISTS llm@user:{ann}:throttle", 1)
	}
	h := servertest.New(t)
	h.Do(llmRule)
	h.Want("COMMAND GETKEYS CL.CHECK llm@user,org,team ann acme search 7", []string{"ann", "acme", "search"})
	h.Do("CL.CHECK llm@user,org,team ann acme search 7")
	h.Want("CL.RULE RESET llm@user,org ann acme", 2)
	h.Want("CL.RULE RESET llm@team,user,org search ann acme", 1)
	h.Do("CL.RULE SET default SCOPE a CL.WINDOW 5 60 AND SCOPE b CL.WINDOW 9 60")
	h.Want("CL.CHECK any@b,a x y", []any{0, 5, 4, -1, 60})
	h.Want("GET any@b:{x}:window", "1")
}

// TestNamedScopesOfARuleThatChanges: the rule in force decides which scopes there are, also in a transaction and for a
// rule that nobody has parsed.
func TestNamedScopesOfARuleThatChanges(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 5 60 AND SCOPE b CL.WINDOW 9 60")
	h.Want("CL.CHECK r@b,a x y", []any{0, 5, 4, -1, 60})
	h.Do("CL.RULE SET r SCOPE b CL.WINDOW 9 60 AND SCOPE a CL.WINDOW 5 60")
	h.Want("CL.CHECK r@b,a x y", []any{0, 5, 3, -1, 60})
	h.Do("MULTI")
	h.Do("CL.RULE SET r SCOPE b CL.WINDOW 9 60 AND SCOPE c CL.WINDOW 4 60 AND SCOPE a CL.WINDOW 5 60")
	h.Do("CL.CHECK r@b,a x y")
	h.Do("CL.CHECK r@c,b,a}{ x} {y z")
	h.Do("CL.CHECK r@c,b,a x} {y z}{")
	exec := h.Do("EXEC").([]any)
	require.Equal(t, h.Wire(commands.Error("ERR the rule r has the scopes b, c, a: there is no key for c")), exec[1])
	require.Equal(t, h.Wire(commands.Error("ERR the rule r has the scopes b, c, a: 'a}{' is not one of them")), exec[2])
	require.Equal(t, []any{int64(0), int64(4), int64(3), int64(-1), int64(60)}, exec[3])
}

// TestNamedScopeErrors: what does not fit the scopes of the rule is refused with their list, and counts nothing.
func TestNamedScopeErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do(llmRule)
	h.Do("CL.RULE SET one CL.WINDOW 5 60")
	const llm, one = "ERR the rule llm has the scopes org, team, user: ", "ERR the rule one has no scopes: give one key"
	for line, want := range map[string]commands.Error{
		"CL.CHECK llm@org,tem,user a b c":                  llm + "'tem' is not one of them",
		"CL.CHECK llm@org,team,org a b c":                  llm + "'org' has two keys",
		"CL.CHECK llm@org,user a b":                        llm + "there is no key for team",
		"CL.CHECK llm@user a":                              llm + "there is no key for org, team",
		"CL.CHECK llm@org,team,user a b":                   llm + "give a key for each, in this order",
		"CL.CHECK llm@, a b":                               llm + "there is no key for user",
		"CL.CHECK llm@,,, a b c d":                         llm + "give one key for each, and no more",
		"CL.EXPLAIN llm a":                                 llm + "give a key for each, in this order",
		"CL.EXPLAIN llm@Org,team,user a b c":               llm + "'Org' is not one of them",
		"CL.RESERVE llm@org,user a b 1 id 60":              llm + "there is no key for team",
		"CL.RESERVE llm a b 7000 id 60":                    llm + "give a key for each, in this order: quantity 'id' is not an integer or out of range",
		"CL.RESERVE llm a b id 60 QUANTITY 7000":           llm + "give a key for each, in this order: id 'QUANTITY' must not be the word QUANTITY",
		"CL.SETTLE llm@org,org,org a b c id 1":             llm + "'org' has two keys",
		"CL.SETTLE llm a b id QUANTITY 7000":               llm + "give a key for each, in this order: id 'QUANTITY' must not be the word QUANTITY",
		"CL.MCHECK 2 llm@org a llm@team b":                 llm + "there is no key for user",
		"CL.MCHECK 3 llm@org a llm@org b llm@user c":       llm + "'org' has two keys",
		"CL.MCHECK 3 llm@org a llm b llm c":                llm + "there is no key for team, user",
		"CL.MCHECK 3 llm a llm@team b llm c":               llm + "give a key for each, in this order",
		"CL.MCHECK 3 llm@org,team a llm@team b llm@user c": llm + "'org,team' is not one of them",
		"CL.MCHECK 6 llm a llm b llm c llm d llm e llm f":  llm + "more keys of this rule follow, and a request asks a rule once",
		"CL.RULE RESET llm@org,team a":                     llm + "give a key for each, or write llm@org and its key",
		"CL.CHECK one@user a":                              one,
		"CL.MCHECK 2 one@ a one@ b":                        one,
		"CL.CHECK nope@user a":                             "ERR no such rule: 'nope'",
	} {
		h.Want(line, want)
	}
	h.Want("DBSIZE", 0)
}

// TestQuantityIsAnOption: QUANTITY n stands for the quantity of each command that has one.
func TestQuantityIsAnOption(t *testing.T) {
	for _, c := range [][2]string{
		{"CL.THROTTLE k 9 10 60 3 MS", "CL.THROTTLE k 9 10 60 QUANTITY 3 MS"}, {"CL.THROTTLE k 9 10 60 3 MS", "CL.THROTTLE k 9 10 60 quantity 3 MS"},
		{"CL.PROBE k 9 10 60 11", "CL.PROBE k 9 10 60 QUANTITY 11"}, {"CL.CHARGE k 9 10 60 11", "CL.CHARGE k 9 10 60 QUANTITY 11"},
		{"CL.CHARGE k 9 10 60 11 PEEK MS", "CL.CHARGE k 9 10 60 MS QUANTITY 11 PEEK"},
		{"CL.RESERVE r k 4 id 60", "CL.RESERVE r k id 60 QUANTITY 4"}, {"CL.RESERVE r k 4 id 60 EXPLAIN", "CL.RESERVE r k id 60 EXPLAIN QUANTITY 4"},
		{"CL.SETTLE r k old 5", "CL.SETTLE r k old QUANTITY 5"}, {"CL.SETTLE r k old 5 MS", "CL.SETTLE r k old MS QUANTITY 5"},
	} {
		var replies [2]any
		for i, line := range c {
			h := servertest.New(t)
			h.At(1_790_000_000_000_000_000)
			h.Do("CL.RULE SET r CL.WINDOW 10 60")
			h.Do("CL.RESERVE r k 2 old 60")
			replies[i] = h.Do(line)
		}
		require.Equal(t, replies[0], replies[1], c[1])
		require.IsType(t, []any{}, replies[1], c[1])
	}
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 10 60")
	missing := commands.Error("ERR the quantity is missing: write QUANTITY and a number at the end of CL.RESERVE")
	h.Want("CL.RESERVE r k id 60 EXPLAIN", missing)
	h.Want("CL.RESERVE r k 4 id 60 QUANTITY 4", commands.Error("ERR syntax error: 'QUANTITY' repeats"))
	h.Want("CL.RESERVE r k 4 quantity 60", commands.Error("ERR id 'quantity' must not be the word QUANTITY"))
	h.Want("CL.PROBE k 9 10 60 QUANTITY 9223372036854775807", commands.Error("ERR quantity '9223372036854775807' is out of range for this count and period: over 292 years of requests"))
	h.Want("CL.THROTTLE k 9 10 60 QUANTITY", commands.Error("Cell error: Store error: Couldn't parse as integer: QUANTITY"))
	h.Want("CL.RESERVE r k id 60 QUANTITY x", commands.Error("ERR quantity 'x' is not an integer or out of range"))
	h.Want("DBSIZE", 0)
}
