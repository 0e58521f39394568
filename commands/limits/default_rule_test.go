package limits

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/internal/rediserr"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestDefaultRule: the rule default decides for each name without a rule of its own. Every name counts for itself.
func TestDefaultRule(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.CHECK search k", ruleset.NoRule("search"))
	h.Want("CL.RULE SET default CL.WINDOW 3 60", ok)
	h.Want("CL.RULE SET login CL.WINDOW 9 60", ok)
	h.Want("CL.CHECK search k 2", []any{0, 3, 1, -1, 60})
	h.Want("CL.CHECK upload k 2", []any{0, 3, 1, -1, 60})
	h.Want("CL.CHECK default k 2", []any{0, 3, 1, -1, 60})
	h.Want("CL.CHECK login k 2", []any{0, 9, 7, -1, 60})
	h.Want("CL.CHECK search k 2", []any{1, 3, 1, 60, 60})
	h.Want("CL.CHECK search {k}1 1", []any{0, 3, 2, -1, 60})
	for _, state := range []string{"search:{k}:window", "upload:{k}:window", "default:{k}:window", "login:{k}:window"} {
		h.Want("GET "+state, "2")
	}
	h.Want("GET {k}1:search:window", "1")
	h.Want("CL.TOP", []any{[]any{"k", 1, 0}})
	require.Equal(t, "allowed=4,limited=1,shadow_limited=0", h.Info("throttle")["rule_default"])
	require.Equal(t, "allowed=1,limited=0,shadow_limited=0", h.Info("throttle")["rule_login"])

	// Only the rules themselves are listed.
	h.Want("CL.RULE GET search", nil)
	h.Want("CL.RULE DEL search", 0)
	h.Want("CL.RULE OVERRIDE search - k CL.WINDOW 7 60", ruleset.NoRule("search"))
	h.Want("CL.RULE OVERRIDE default - k CL.WINDOW 7 60", ok)
	h.Want("CL.CHECK search k 2", []any{0, 7, 3, -1, 60})

	// A rule of the name takes over what was counted. Without any default, the name is unknown again.
	h.Want("CL.RULE SET search CL.WINDOW 5 60", ok)
	h.Want("CL.CHECK search k", []any{0, 5, 0, -1, 60})
	h.Want("CL.RULE DEL search", 1)
	h.Want("CL.RULE DEL default", 1)
	h.Want("CL.CHECK search k", ruleset.NoRule("search"))
}

// TestDefaultRuleCommands: all commands of rules agree on the default rule, also inside EXEC.
func TestDefaultRuleCommands(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE SET default SCOPE org CL.WINDOW 9 60 AND SCOPE user CL.WINDOW 5 60", ok)
	h.Want("CL.RESERVE chat acme ann 4 id 30", []any{0, 5, 1, -1, 60})
	h.Want("CL.RESERVE draw acme ann 4 id 30", []any{0, 5, 1, -1, 60})
	h.Want("CL.SETTLE chat acme ann id 1", []any{0, 5, 4, -1, 60})
	h.Want("CL.SETTLE mail acme ann id 1", rules.ErrNoReservation)
	h.Want("CL.CHECK draw acme ann 0", []any{0, 5, 1, -1, 60})
	h.Want("CL.RESERVE draw acme ann 1 late 30 RELEASE", []any{0, 5, 0, -1, 60})
	h.Want("ZCARD draw@user:{ann}:release", 1)
	h.Want("CL.MCHECK 4 chat acme chat ann draw acme draw bob", []any{0, -1, []any{0, 5, 3, -1, 60}, []any{0, 9, 3, -1, 60}})
	h.Want("CL.MCHECK 6 chat acme chat ann draw acme draw ann chat acme chat bob", rules.ErrSamePair)
	h.Want("CL.MCHECK 2 chat acme draw ann",
		rediserr.Error("ERR the rule default has the scopes org, user: give a key for each, in this order"))
	why := fmt.Sprint(h.Do("CL.EXPLAIN chat acme ann"))
	require.Contains(t, why, "rule default source key")
	require.Contains(t, why, "chat@user:{ann}:window")

	const queued = resptest.Simple("QUEUED")
	h.Want("MULTI", ok)
	h.Want("CL.RULE SET default CL.WINDOW 2 60", queued)
	h.Want("CL.CHECK chat k 2", queued)
	h.Want("CL.CHECK draw k 2", queued)
	h.Want("EXEC", []any{ok, []any{0, 2, 0, -1, 60}, []any{0, 2, 0, -1, 60}})
}

// TestDefaultRuleNames: only what may be the name of a rule has the default rule. Many names make no table of the server grow.
func TestDefaultRuleNames(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE SET default CL.WINDOW 1 60", ok)
	long := strings.Repeat("x", ruleset.MaxNameBytes)
	h.Want("CL.CHECK "+long+" k", []any{0, 1, 0, -1, 60})
	for _, wrong := range []string{long + "x", "a:b", "a{b}", "é", "..", "a/./b"} {
		h.Want("CL.CHECK "+wrong+" k", ruleset.NoRule(wrong))
		h.Want("CL.RESERVE "+wrong+" k 1 id 9", ruleset.NoRule(wrong))
		h.Want("CL.MCHECK 1 "+wrong+" k", ruleset.NoRule(wrong))
	}
	before := len(h.Info("throttle"))
	for i := range 2000 {
		h.Want(fmt.Sprintf("CL.CHECK name-%d k", i), []any{0, 1, 0, -1, 60})
	}
	require.Len(t, h.Info("throttle"), before)
	h.Want("DBSIZE", 2000+1)
	h.Want("CL.RULE LIST", []any{[]any{
		"default", "CL.WINDOW 1 60", "key", []any{}, "", "1/minute in windows"}})
	require.Equal(t, "allowed=2001,limited=0,shadow_limited=0", h.Info("throttle")["rule_default"])
}

// TestDefaultRuleOfTheFile: the rule of a name comes before any default, wherever it is kept.
func TestDefaultRuleOfTheFile(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte("rules:\n  default:\n    limits: CL.WINDOW 3 60\n  filed:\n    limits: CL.WINDOW 4 60\n")))
	h.Want("CL.CHECK other k", []any{0, 3, 2, -1, 60})
	h.Want("CL.RULE SET default CL.WINDOW 8 60", ok)
	h.Want("CL.CHECK other k", []any{0, 8, 6, -1, 60})
	h.Want("CL.CHECK filed k", []any{0, 4, 3, -1, 60})
	h.Want("CL.RULE DEL default", 1)
	h.Want("CL.CHECK other k", []any{0, 3, 0, -1, 60})
	require.NoError(t, h.Server.UseRules("f", nil))
	h.Want("CL.CHECK other k", ruleset.NoRule("other"))
}
