package limits

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClRuleReset: one command removes all states of a key under a rule, and nothing else.
func TestClRuleReset(t *testing.T) {
	for _, key := range []string{"ann", "a{nn}", "{ann}", "a}nn", ""} {
		h := servertest.New(t)
		h.Do("CL.RULE SET login CL.THROTTLE 4 5 60 AND CL.WINDOW 100 86400 ALIGN AND CL.WINDOW 50 3600")
		h.Do("CL.RULE SET other CL.WINDOW 5 60")
		before := h.Do("KEYS *").([]any)
		h.Do("CL.CHECK", "login", key, 5)
		h.Do("CL.RULE", "OVERRIDE", "login", "-", key, "CL.SLIDING", 5, 60) // its state is one of the key, too
		h.Do("CL.CHECK", "login", key, 5)
		kept := len(h.Do("KEYS *").([]any))
		require.Equal(t, len(before)+4, kept)
		h.Do("CL.CHECK login bob 5")
		h.Do("CL.CHECK", "other", key, 5)
		h.Want("CL.RULE DEL nobody", 0)
		require.Equal(t, int64(4), h.Do("CL.RULE", "RESET", "login", key), "%q", key)
		require.Equal(t, int64(0), h.Do("CL.RULE", "RESET", "login", key))
		require.Equal(t, []any{int64(0), int64(5), int64(4)}, h.Do("CL.CHECK", "login", key).([]any)[:3])
		h.Do("CL.RULE", "OVERRIDE", "login", "-", key, "DEL")
		require.Equal(t, []any{int64(0), int64(5), int64(4)}, h.Do("CL.CHECK", "login", key).([]any)[:3])
		h.Want("CL.CHECK login bob 0", []any{0, 5, 0, -1, 60})
		require.Equal(t, int64(0), h.Do("CL.CHECK", "other", key, 0).([]any)[2])
	}
}

// TestClRuleResetScopes: with a key for each scope, or for one of them.
func TestClRuleResetScopes(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 50 60 AND SCOPE team CL.LOG 20 60 AND SCOPE user CL.THROTTLE 9 10 60")
	left := func() (all []int64) {
		for _, one := range h.Do("CL.CHECK llm acme search ann 0 EXPLAIN").([]any)[7].([]any) {
			all = append(all, one.([]any)[4].(int64))
		}
		return all
	}
	h.Do("CL.CHECK llm acme search ann 7")
	require.Equal(t, []int64{43, 13, 3}, left())
	h.Want("CL.RULE RESET llm@team search", 1)
	require.Equal(t, []int64{43, 20, 3}, left())
	h.Want("CL.RULE RESET llm acme search ann", 2)
	require.Equal(t, []int64{50, 20, 10}, left())
	scopes := "ERR the rule llm has the scopes org, team, user: "
	for words, want := range map[string]error{
		"llm ann":      commands.Error(scopes + "give a key for each, or write llm@org and its key"),
		"llm a b c d":  commands.Error(scopes + "give a key for each, or write llm@org and its key"),
		"llm@user a b": commands.Error(scopes + "give a key for each, or write llm@org and its key"),
		"llm@group a":  commands.Error(scopes + "'group' is not one of them"),
		"llm@ a":       commands.Error(scopes + "give a key for each, or write llm@org and its key"),
		"nope k":       ruleset.NoRule("nope"),
		"nope@user k":  ruleset.NoRule("nope"),
		"llm":          commands.WrongArity("cl.rule|reset"),
	} {
		h.Want("CL.RULE RESET "+words, want)
	}
	h.Do("CL.RULE SET one CL.WINDOW 5 60")
	h.Want("CL.RULE RESET one a b", commands.Error("ERR the rule one has no scopes: give one key"))
	h.Do("CL.RULE SET default CL.WINDOW 5 60")
	h.Do("CL.CHECK search ann 5")
	h.Do("CL.CHECK upload ann 5")
	h.Want("CL.RULE RESET search ann", 1)
	h.Want("CL.CHECK search ann", []any{0, 5, 4, -1, 60})
	h.Want("CL.CHECK upload ann", []any{1, 5, 0, 60, 60})
}

// TestClRuleResetReservations: reservations can still be settled, and nothing is given back for a release.
func TestClRuleResetReservations(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET llm CL.WINDOW 100 3600")
	h.Do("CL.RESERVE llm ann 60 plain 600")
	h.Do("CL.RESERVE llm ann 30 released 60 RELEASE")
	h.Want("CL.RULE RESET llm ann", 1) // the window; releases are no state
	h.Advance(61e9)
	h.Want("CL.CHECK llm ann 10", []any{0, 100, 90, -1, 3600})
	h.Want("CL.SETTLE llm ann plain 70", []any{0, 100, 80, -1, 3600})
}

// TestClRuleResetRights: the reset has a right of its own, and needs the keys.
func TestClRuleResetRights(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET login SCOPE ip CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 5 60")
	h.Do("CL.CHECK login i u 5")
	support := h.NewClient(t)
	h.Want("ACL SETUSER support on nopass ~u +cl.rule|reset", ok)
	support.Want("AUTH support x", ok)
	support.Want("CL.RULE RESET login@user u", 1)
	for _, line := range []string{"CL.RULE RESET login i u", "CL.RULE RESET login@ip i", "CL.RULE DEL login", "DEL u"} {
		require.Contains(t, fmt.Sprint(support.Do(line)), "NOPERM", line)
	}
	h.Want("CL.CHECK login@ i", commands.Error("ERR the rule login has the scopes ip, user: there is no key for user"))
	h.Want("COMMAND GETKEYS CL.RULE RESET login i u", []string{"i", "u"})
	h.Do("MULTI")
	h.Do("CL.RULE SET login SCOPE user CL.WINDOW 7 60")
	h.Do("CL.RULE RESET login i")
	h.Do("CL.CHECK login i 0")
	exec := h.Do("EXEC").([]any)
	require.Equal(t, []any{int64(0), []any{int64(0), int64(7), int64(7), int64(-1), int64(0)}}, exec[1:])
	h.Do("CL.CHECK login u 3")
	require.Equal(t, int64(1), h.Do(`EVAL "return redis.call('CL.RULE', 'RESET', 'login', KEYS[1])" 1 u`))
	require.False(t, slices.Contains(h.Do("KEYS *").([]any), any("login@user:{u}:window")))
}

// TestNothingComesBackAfterAReset: a settlement of a reservation from before a reset leaves what was counted since.
func TestNothingComesBackAfterAReset(t *testing.T) {
	for name, limits := range map[string]string{
		"throttle": "CL.THROTTLE 99 100 3600", "window": "CL.WINDOW 100 3600", "aligned": "CL.WINDOW 100 3600 ALIGN",
		"sliding": "CL.SLIDING 100 3600", "log": "CL.LOG 100 3600 RESOLUTION 60",
	} {
		t.Run(name, func(t *testing.T) {
			h := servertest.New(t)
			h.At(1_800_000_000_000_000_000)
			h.Do("CL.RULE SET llm SCOPE org " + limits + " AND SCOPE user " + limits)
			left := func() (all []any) {
				for _, one := range h.Do("CL.CHECK llm acme ann QUANTITY 0 EXPLAIN").([]any)[7].([]any) {
					all = append(all, one.([]any)[4])
				}
				return all
			}
			h.Do("CL.RESERVE llm acme ann 60 a 600")
			h.Do("CL.RESERVE llm acme ann 20 b 600")
			h.Want("CL.RULE RESET llm@user ann", 1)
			h.Advance(time.Second)
			h.Do("CL.CHECK llm acme ann 20")
			require.Equal(t, []any{int64(0), int64(80)}, left())
			h.Do("CL.SETTLE llm acme ann a 10")
			require.Equal(t, []any{int64(50), int64(80)}, left(), "the org was not reset")
			h.Do("CL.SETTLE llm acme ann b 25")
			require.Equal(t, []any{int64(45), int64(75)}, left(), "more than the estimate counts")
			h.Do("CL.RESERVE llm acme ann 30 c 600")
			h.Do("CL.SETTLE llm acme ann c 10")
			require.Equal(t, []any{int64(35), int64(65)}, left(), "a later reservation is given back")
			h.Advance(3 * time.Hour)
			h.Want("EXISTS llm@user:{ann}:reset", 0)
			h.Want("CL.RULE RESET llm@user ann", 0)
			h.Want("EXISTS llm@user:{ann}:reset", 0)
		})
	}
}
