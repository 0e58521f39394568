package limits

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestRulesInJSON(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte("rules: {kept: {limits: CL.WINDOW 5 60, shadow: true}}")))
	h.Want("CL.RULE GET none JSON", nil)
	h.Want("CL.RULE GET kept json", `{"limits":["CL.WINDOW 5 60"],"shadow":true}`)
	set := func(name, text string, want any) {
		t.Helper()
		require.Equal(t, h.Wire(want), h.Do("CL.RULE", "SET", name, "JSON", text), text)
	}
	const api = `{"limits":["CL.THROTTLE 4 5 60","CL.WINDOW 100 86400 ALIGN"],"overrides":{"a \"b\"":["CL.WINDOW 9 60"],"user:4711":["CL.WINDOW 7 60","CL.LOG 5 60"]}}`
	set("api", api, ok)
	h.Want("CL.RULE GET api JSON", api)
	h.Want("CL.RULE GET api", "CL.THROTTLE 4 5 60 AND CL.WINDOW 100 86400 ALIGN")
	require.Equal(t, int64(7), h.Do("CL.CHECK api user:4711 0").([]any)[1].(int64)+2)
	const llm = `{"scopes":{"org":["CL.WINDOW 50 60"],"user":["CL.WINDOW 9 60","CL.THROTTLE 4 5 60"]},"overrides":{"org":{"acme":["CL.WINDOW 70 60"]}},"shadow":true}`
	set("llm", llm, ok)
	h.Want("CL.RULE GET llm JSON", llm)
	h.Want("CL.RULE LIST JSON", `{"rules":{"api":`+api+`,"kept":{"limits":["CL.WINDOW 5 60"],"shadow":true},"llm":`+llm+`}}`)

	// The list is a rules-file, and what is stored is the same rules.
	all := h.Do("CL.RULE LIST JSON")
	h.Server.RulesReplaced()
	h.Want("CL.RULE LIST JSON", all)
	for _, name := range []string{"api", "llm"} {
		h.Want("CL.RULE DEL "+name, 1)
	}
	require.NoError(t, h.Server.UseRules("f", []byte(all.(string))))
	h.Want("CL.RULE LIST JSON", all)

	set("llm", `{"scopes": {"org": "CL.WINDOW 50 60"}}`, ok)
	h.Want("CL.RULE GET llm JSON", `{"scopes":{"org":["CL.WINDOW 50 60"]}}`)
	h.Want(`CL.RULE OVERRIDE llm org "\xff" CL.WINDOW 1 1`, ok)
	h.Want("CL.RULE GET llm JSON", commands.Error("ERR the rule has an override whose key is not UTF-8: use CL.RULE LIST"))
	h.Want("CL.RULE DEL llm", 1)
	storeRule(h, "odd", "NOPE 1 1")
	h.Want("CL.RULE LIST JSON", strings.TrimSuffix(all.(string), "}}")+`,"odd":{"error":"the stored rule odd is wrong, so CL.RULE SET it again: 'NOPE' is not a limiter of a rule: use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, BLOCK, ALLOW, or words such as 100/minute"}}}`)
}

func TestRulesInJSONErrors(t *testing.T) {
	h := servertest.New(t)
	many := make([]string, ruleset.MaxOverrides+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":"CL.WINDOW 1 1"`, i)
	}
	for text, want := range map[string]error{
		``: noJSON("0 is ''"), `{`: noJSON("1 is ''"), `{}}`: noJSON("2 is '}'"), `{} {}`: noJSON("2 is ' {}'"),
		`limits: CL.WINDOW 1 1`:                                                            noJSON("0 is 'limits: CL.WINDOW 1 1'"),
		`{"limits": ["5/minute" "6/hour"]}`:                                                noJSON(`23 is '"6/hour"]}'`),
		strings.Repeat("[", 1<<20):                                                         ruleset.ErrJSON,
		`{"limits": "` + strings.Repeat("x", 4<<20):                                        ruleset.ErrJSON,
		`{"limits": "` + strings.Repeat("x", 1<<20):                                        noJSON(`11 is '"` + strings.Repeat("x", 39) + `…'`),
		`{"limits": [[[[[[[[[["CL.WINDOW 1 1"]]]]]]]]]}`:                                   ruleset.ErrJSON,
		`{"limits": ["CL.WINDOW 1 1"` + strings.Repeat(`,1`, ruleset.MaxJSONValues) + `]}`: ruleset.ErrJSON,
		"{\"limits\": \"CL.WINDOW 1 1\", \"overrides\": {\"\xff\": \"CL.WINDOW 2 1\"}}":    ruleset.ErrJSON,
		`[]`:                          commands.Error("ERR rule r: a list must be in a field: write `limits:` before it"),
		`"CL.WINDOW 1 1"`:             commands.Error("ERR rule r: \"CL.WINDOW 1 1\" must be in a field: write `limits:` before it"),
		`null`:                        commands.Error("ERR rule r has no limits: write `limits: 100/minute` below it"),
		`{"limits": [7]}`:             commands.Error(`ERR rule r: limit "7": a period is missing after '7': write 7/minute or 7 per 10 minutes`),
		`{"limits": ["CL.WINDOW 1"]}`: commands.Error(`ERR rule r: limit "CL.WINDOW 1": period is missing in CL.WINDOW`),
		`{"limits": "CL.WINDOW 1 1", "limits": "CL.WINDOW 1 1"}`:                      commands.Error(`ERR rule r: the name "limits" is there twice: remove one of the two`),
		`{"limits": "CL.WINDOW 1 1", "shadow": "maybe"}`:                              commands.Error(`ERR rule r: shadow must be true or false, and not "maybe"`),
		`{"limits": "CL.WINDOW 1 1", "x\ny": 1}`:                                      commands.Error(`ERR rule r: unknown field "x\ny": here may be limits, overrides, scopes, shadow`),
		`{"limits": "CL.WINDOW 1 1", "overrides": {"k": {}}}`:                         commands.Error(`ERR rule r: the override of "k" has no limits: write one, such as 100/minute`),
		`{"limits": "CL.WINDOW 1 1", "overrides": {"k": {"limit": "x"}}}`:             commands.Error(`ERR rule r: override of k: unknown field "limit": here may be limits`),
		`{"limits": "CL.WINDOW 1 1", "overrides": {"k": "CL.WINDOW x 1"}}`:            commands.Error(`ERR rule r: override of "k": limit 'x' is not an integer or out of range`),
		`{"limits": "CL.WINDOW 1 1", "overrides": {` + strings.Join(many, ",") + `}}`: commands.Error(fmt.Sprintf(`ERR rule r: override of "k4096": %s`, plain(ruleset.ErrMaxOverrides))),
	} {
		require.Equal(t, h.Wire(want), h.Do("CL.RULE", "SET", "r", "JSON", text), "%.100s", text)
	}
	h.Want("CL.RULE SET r JSON", noLimiter("'JSON' is not a limiter of a rule"))
	require.Equal(t, h.Wire(wrong("name", "a b", ruleset.ErrName)), h.Do("CL.RULE", "SET", "a b", "JSON", "{}"))
	require.Zero(t, h.Store.Changes())
}

// noJSON is the error of a text that is no JSON from a place on.
func noJSON(from string) error { return commands.Error(ruleset.ErrJSON.Error() + ": at byte " + from) }

// TestOverridesOfTheFile: the three forms of the limits of a key, with and without scopes.
func TestOverridesOfTheFile(t *testing.T) {
	h := servertest.New(t)
	require.NoError(t, h.Server.UseRules("f", []byte(`rules:
  api:
    limits: CL.WINDOW 5 60
    overrides:
      tier-gold: {limits: [CL.WINDOW 50 60, CL.LOG 9 60]}
      "user:4711": CL.WINDOW 6 60
      ann: [CL.WINDOW 7 60]
      "-": {bob: CL.WINDOW 8 60}
  llm:
    scopes: {user: CL.WINDOW 9 60}
    overrides: {user: {ann: {limits: CL.WINDOW 10 60}, bob: [CL.WINDOW 11 60]}}
`)))
	for line, want := range map[string]int64{"api eve": 5, "api tier-gold": 9, "api user:4711": 6, "api ann": 7, "api bob": 8, "llm eve": 9, "llm ann": 10, "llm bob": 11} {
		require.Equal(t, want, h.Do("CL.CHECK " + line + " 0").([]any)[1], line)
	}
	require.EqualError(t, h.Server.UseRules("f", []byte("rules:\n  llm:\n    scopes: {user: CL.WINDOW 9 60}\n    overrides:\n      ann: CL.WINDOW 1 1\n")),
		"f:5: overrides of scope ann must be a mapping of names such as `name: …`, and not \"CL.WINDOW 1 1\"")
}

// TestJSONKeepsRules: any rule is the same after a way through JSON.
func TestJSONKeepsRules(t *testing.T) {
	r := rand.New(randtest.Source(t))
	limits := []string{"CL.WINDOW 9 5", "CL.WINDOW 30 86400 ALIGN day TZ Europe/Berlin", "cl.sliding 12 6", "CL.LOG 10 7 GAP 0.5 STRICT", "CL.THROTTLE 9 20 10"}
	some := func() string {
		return strings.Join([]string{limits[r.IntN(len(limits))], limits[r.IntN(len(limits))]}[r.IntN(2):], " AND ")
	}
	keys := []string{"k", "-", "", " ", "ä\"\\", "{x}", "limits", "\n\x00", "😀", "~", "true", "1e3"}
	for range 200 {
		h := servertest.New(t)
		line, scopes := some(), []string{"-"}
		if r.IntN(2) == 0 {
			scopes = []string{"org", "team"}[:1+r.IntN(2)]
			line = ""
			for _, s := range scopes {
				line += " AND SCOPE " + s + " " + strings.ReplaceAll(some(), "AND ", "AND SCOPE "+s+" ")
			}
			line = line[5:]
		}
		if r.IntN(2) == 0 {
			line += " SHADOW"
		}
		h.Want("CL.RULE SET r "+line, ok)
		for range r.IntN(4) {
			h.Do(append([]any{"CL.RULE", "OVERRIDE", "r", scopes[r.IntN(len(scopes))], keys[r.IntN(len(keys))]}, fields(some())...)...)
		}
		text, list := h.Do("CL.RULE GET r JSON"), h.Do("CL.RULE LIST")
		h.Do("CL.RULE DEL r")
		require.Equal(t, h.Wire(servertest.OK), h.Do("CL.RULE", "SET", "r", "JSON", text), text)
		require.Equal(t, list, h.Do("CL.RULE LIST"), text)
		require.Equal(t, text, h.Do("CL.RULE GET r JSON"))
	}
}

func fields(line string) (words []any) {
	for _, w := range strings.Fields(line) {
		words = append(words, w)
	}
	return words
}
