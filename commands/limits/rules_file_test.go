package limits

import (
	"cellserver/commands"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"
	"cellserver/store"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const rulesFile = `# limits of the shop
rules:
  login:
    limits:
      - CL.THROTTLE 2 1 10
      - CL.WINDOW  5  3600
  search:
    limits: CL.WINDOW 3 60
    shadow: true
`

func TestRulesFile(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("rules.yaml", []byte(rulesFile)))
	list := []any{
		[]any{"login", "CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600", "file", []any{}, "",
			"1 per 10 seconds burst 3 AND 5/hour in windows"},
		[]any{"search", "CL.WINDOW 3 60 SHADOW", "file", []any{}, "", "3/minute in windows SHADOW"},
	}
	h.Want("CL.RULE LIST", list)
	h.Want("CL.RULE GET search", "CL.WINDOW 3 60 SHADOW")
	h.Want("CL.CHECK login k 4", []any{1, 3, 3, -1, 0})
	h.Want("CL.CHECK search k 4", []any{0, 3, 3, -1, 0})
	require.Zero(t, h.Store.Len(store.Own))
	require.Equal(t, "allowed=0,limited=0,shadow_limited=1", h.Info("throttle")["rule_search"])

	// A rule of CL.RULE SET replaces a rule of the file, until it is deleted.
	h.Want("CL.RULE DEL login", commands.Error("ERR the rule 'login' comes from the rules-file or rules-url: delete it there"))
	h.Want("CL.RULE SET login CL.WINDOW 9 60", ok)
	h.Want("CL.RULE LIST", []any{[]any{"login", "CL.WINDOW 9 60", "key", []any{}, "CL.THROTTLE 2 1 10 AND CL.WINDOW 5 3600",
		"9/minute in windows"}, list[1]})
	h.Want("CL.CHECK login k 4", []any{0, 9, 5, -1, 60})
	require.NoError(t, h.Server.UseRules("rules.yaml", []byte(rulesFile)))
	h.Want("CL.CHECK login k 0", []any{0, 9, 5, -1, 60})
	h.Want("CL.RULE DEL login", 1)
	h.Want("CL.CHECK login k 4", []any{1, 3, 3, -1, 0})
	require.Equal(t, "allowed=1,limited=2,shadow_limited=0", h.Info("throttle")["rule_login"])

	require.NoError(t, h.Server.UseRules("rules.yaml", nil))
	h.Want("CL.CHECK login k", ruleset.NoRule("login"))
	h.Want("CL.RULE LIST", []any{})
	require.NotContains(t, h.Info("throttle"), "rule_login")
}

// TestRulesFileErrors: an error names the file, the line and the reason. The old rules stay in
// force.
func TestRulesFileErrors(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte(rulesFile)))
	many := "rules:\n"
	for i := range ruleset.MaxRules + 1 {
		many += fmt.Sprintf("  r%d: {limits: CL.WINDOW 1 1}\n", i)
	}
	for text, want := range map[string]string{
		"rules: [":                       `f:1: did not find expected node content: "rules: [" is no YAML: check colons, brackets, quotes and the indentation, also in the line before`,
		"a: 1":                           `f:1: the file: unknown field "a": here may be rules`,
		"- a":                            "f:1: the file must begin with `rules:`, and not with a list",
		"rules: {}\n---\nrules: {}":      "f:2: a second document begins here: the file must be one document",
		"rules: {}\nrules: {}":           `f:2: the file: the name "rules" is there twice, first in line 1: remove one of the two`,
		"rules:\n  - a":                  "f:2: rules must be a mapping of names such as `name: …`, and not a list",
		"rules:\n  a b:\n    limits: x":  `f:2: rule "a b": ` + plain(ruleset.ErrName),
		"rules:\n  ..:\n    limits: x":   `f:2: rule "..": ` + plain(ruleset.ErrDots),
		"rules:\n  a: CL.WINDOW 1 1":     "f:2: rule a: \"CL.WINDOW 1 1\" must be in a field: write `limits:` before it",
		"rules:\n  a: [CL.WINDOW 1 1]":   "f:2: rule a: a list must be in a field: write `limits:` before it",
		"rules:\n  a: {}":                "f:2: rule a has no limits: write `limits: 100/minute` below it",
		"rules:\n  a:":                   "f:2: rule a has no limits: write `limits: 100/minute` below it",
		"rules:\n  a: {limits: []}":      "f:2: rule a has no limits: write `limits: 100/minute` below it",
		"rules:\n  a:\n    limit: x":     `f:3: rule a: unknown field "limit": here may be limits, overrides, scopes, shadow`,
		"rules:\n  a:\n    limits: {}":   "f:3: rule a: a limit must be a text such as 100/minute, and not a mapping of names",
		"rules:\n  a:\n    limits: [[]]": "f:3: rule a: a limit must be a text such as 100/minute, and not a list",
		"rules:\n  a:\n    limits: [CL.WINDOW 1 1]\n  a: {}":                           `f:4: rules: the name "a" is there twice, first in line 2: remove one of the two`,
		"rules:\n  a:\n    limits: CL.WINDOW 1 1\n    shadow: maybe":                   `f:4: rule a: shadow must be true or false, and not "maybe"`,
		"rules:\n  a:\n    limits:\n      - CL.WINDOW 1 1\n      - CL.WINDOW x 1":      `f:5: rule a: limit "CL.WINDOW x 1": limit 'x' is not an integer or out of range`,
		"rules:\n  a:\n    limits: NOPE 1 1":                                           `f:3: rule a: limit "NOPE 1 1": 'NOPE' is not a limiter of a rule: use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, BLOCK, ALLOW, or words such as 100/minute`,
		"rules:\n  a:\n    limits: CL.WINDOW 1 1 AND CL.WINDOW 1 1":                    `f:3: rule a: limit "CL.WINDOW 1 1 AND CL.WINDOW 1 1": "AND" does not stand in a limit of a file: write a list: ` + "`[100/minute, 1000 a day]`",
		"rules:\n  a:\n    limits: CL.WINDOW 1 1 SHADOW":                               `f:3: rule a: limit "CL.WINDOW 1 1 SHADOW": "SHADOW" does not stand in a limit of a file: write the field ` + "`shadow: true`",
		"rules:\n  a:\n    limits: [" + strings.Repeat("CL.WINDOW 1 1,", 9) + "]":      `f:3: rule a: limit "CL.WINDOW 1 1": ` + plain(ruleset.ErrLimits),
		"rules:\n  a:\n    limits: CL.THROTTLE 1 1 " + strings.Repeat("0", 1024) + "1": "f:2: rule a: " + plain(ruleset.ErrRuleBytes),
		"rules:\n  a: &a {limits: *a}":                                                 "f:2: rule a: a limit must be a text such as 100/minute, and not the alias *a",
		"rules:\n  a:\n    scopes: {o: []}":                                            `f:3: rule a: scope "o" has no limits: write one, such as 100/minute`,
		"rules:\n  a:\n    scopes: {a b: CL.WINDOW 1 1}":                               `f:3: rule a: scope "a b": ` + plain(ruleset.ErrScope),
		"rules:\n  a:\n    scopes: CL.WINDOW 1 1":                                      "f:3: scopes of rule a must be a mapping of names such as `name: …`, and not \"CL.WINDOW 1 1\"",
		"rules:\n  a:\n    scopes: {o: CL.WINDOW 1 1}\n    limits: CL.WINDOW 1 1":      `f:4: rule a: limit "CL.WINDOW 1 1": ` + plain(ruleset.ErrMixed),
		many: fmt.Sprintf("f:%d: rule \"r%d\": %s", ruleset.MaxRules+2, ruleset.MaxRules, plain(ruleset.ErrMaxRules)),
	} {
		err := h.Server.UseRules("f", []byte(text))
		require.EqualError(t, err, want, "%.200s", text)
		require.NotContains(t, err.Error(), "\n")
	}
	require.Len(t, h.Do("CL.RULE LIST"), 2)
	h.Want("CL.CHECK login k 0", []any{0, 3, 3, -1, 0})
}

// plain returns the text of an error without its leading code.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "ERR ") }
