package wronginputs

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ruleFiles are wrong rules-files, by --check-rules.
var ruleFiles = []row{
	{"", "r.yaml:1: the file has no rules", "write `rules: {}`"},
	{"# only a comment\n", "r.yaml:1: the file has no rules", "write `rules: {}`"},
	{"rules:\n", "r.yaml:1: there is nothing below rules", "write `rules: {}`"},
	{"<html></html>", "\"<html></html>\"", "must begin with `rules:`"},
	{"rules: [", "r.yaml:1: ", "check colons, brackets, quotes and the indentation"},
	{"rules:\n\ta: b\n", "r.yaml:2: ", "check colons, brackets, quotes and the indentation"},
	{"domain: shop\ndescriptors:\n- key: ip\n", "r.yaml:1: `domain:` begins a file of envoyproxy/ratelimit",
		"give that file to cellserver-envoy, or write each descriptor as a rule"},
	{"rules:\n  api: {limits: 100/minuet}\n", "r.yaml:2: rule api: limit \"100/minuet\": 'minuet'", "did you mean minute?"},
	{"rules:\n  api: {limits: 3 at once}\n", "'3 at once'", "use CL.ACQUIRE"},
	{"rule:\n  a: {}\n", "unknown field \"rule\"", "here may be rules"},
	{"rules:\n  api: CL.THROTTLE 4 5 60\n", "r.yaml:2: rule api: \"CL.THROTTLE 4 5 60\"", "write `limits:` before it"},
	{"rules:\n  api:\n    limit: CL.THROTTLE 4 5 60\n", "r.yaml:3: rule api: unknown field \"limit\"", "limits, overrides, scopes, shadow"},
	{"rules:\n  api:\n    limits: CL.THROTTLE 4 5 60 AND CL.WINDOW 5 60\n", "r.yaml:3: rule api", "\"AND\" does not stand in a limit of a file: write a list"},
	{"rules:\n  api:\n    limits: CL.WINDOW 5 60 SHADOW\n", "\"SHADOW\"", "write the field `shadow: true`"},
	{"rules:\n  api:\n    limits: SCOPE org CL.WINDOW 5 60\n", "\"SCOPE\"", "below `scopes:`"},
	{"rules:\n  api: {limits: CL.WINDOW 5 60}\n  api: {limits: CL.WINDOW 6 60}\n", "r.yaml:3: rules: the name \"api\"", "first in line 2: remove one of the two"},
	{"rules:\n  a b: {limits: CL.WINDOW 5 60}\n", "r.yaml:2: rule \"a b\"", "letters"},
	{"rules:\n  api:\n", "r.yaml:2: rule api has no limits", "write `limits: 100/minute`"},
	{"rules:\n  api: {limits: CL.WINDOW 5 60, shadow: maybe}\n", "\"maybe\"", "true or false"},
	{"rules:\n  api: {limits: CL.WINDW 5 60}\n", "r.yaml:2: rule api: limit \"CL.WINDW 5 60\"", "limiter"},
	{"rules:\n  api: {limits: CL.WINDOW x 60}\n", "limit \"CL.WINDOW x 60\"", "limit"},
	{"rules:\n  api: {limits: CL.WINDOW 5}\n", "\"CL.WINDOW 5\"", "period is missing in CL.WINDOW"},
	{"rules:\n  api: {scopes: CL.WINDOW 5 60}\n", "scopes of rule api", "a mapping of names such as `name: …`"},
	{"rules:\n  api: {scopes: {org: []}}\n", "scope \"org\" has no limits", "such as 100/minute"},
	{"rules:\n  api: {limits: CL.WINDOW 5 60, overrides: {ann: {limit: x}}}\n", "unknown field \"limit\"", "here may be limits"},
	{"rules:\n  api: {limits: CL.WINDOW 5 60, overrides: {ann: []}}\n", "\"ann\"", "such as 100/minute"},
	{"rules: {}\n---\nrules: {}\n", "second document", "one document"},
}

func TestRuleFiles(t *testing.T) {
	for _, r := range ruleFiles {
		dir := place(t, map[string]string{"r.yaml": r.input})
		answer, code := run(t, dir, nil, false, "--check-rules", "r.yaml")
		r.check(t, answer)
		assert.Equal(t, []int{1, 1}, []int{code, strings.Count(answer, "\n")}, r.input)
	}
}

// requests are wrong commands.
var requests = []row{
	{"CL.WINDOW k -1 60", "limit '-1'", "must not be negative"},
	{"CL.WINDOW k 10 1m", "period '1m'", "is not a number of seconds: 60"},
	{"CL.WINDOW k 10 0 ALIGN hour", "ALIGN 'hour'", "use day, week, month, year"},
	{"CL.CHECK nope k", "'nope'", "no such rule"},
	{"CL.RULE SET a 100/minuet", "'minuet'", "did you mean minute?"},
	{"CL.RULE SET a much", "'much'", "or words such as 100/minute"},
	{"CL.RULE SET ..", "'cl.rule|set'", "wrong number of arguments"},
	{"CL.RULE SET .. CL.WINDOW 5 60", "..", "name"},
	{"CL.RULE SET a JSON {", "JSON", "{\"limits\": [\"CL.WINDOW 100 60\"]}"},
	{"CL.RULE SET a JSON {\"limit\":\"x\"}", "unknown field \"limit\"", "here may be limits, overrides, scopes, shadow"},
	{"CL.RULE NOPE", "NOPE", "CL.RULE HELP"},
	{"CONFIG SET prot 1", "prot", "Unknown option"},
	{"CONFIG SET rules-file no.yaml", "no.yaml", "check the path"},
	{"CONFIG SET http-page maybe", "http-page", "no, read, write"},
	{"CONFIG SET port 1 port 2", "port", "duplicate parameter"},
	{"NOSUCH a b", "'NOSUCH'", "with args beginning with"},
	{"ACL SETUSER ann +nosuch", "+nosuch", "Unknown command"},
}

func TestRequests(t *testing.T) {
	c, _ := serve(t)
	before := state(c)
	for _, r := range requests {
		var words []any
		for _, w := range strings.SplitN(r.input, " ", 5) {
			words = append(words, w)
		}
		if !strings.Contains(r.input, "JSON") {
			words = words[:0]
			for _, w := range strings.Fields(r.input) {
				words = append(words, w)
			}
		}
		answer := fmt.Sprint(c.Do(words...))
		r.check(t, answer)
		assert.Equal(t, before, state(c), "%s: nothing has changed", r.input)
	}
}

// overHTTP are wrong requests over HTTP: the method, the path, and a body in JSON.
var overHTTP = []row{
	{"GET /check", "rule", "/check/RULE?key=…"},
	{"GET /check/api", "key", "key=… in the query"},
	{"GET /check/api?kee=k", "kee", "key"},
	{"GET /check/api?key=header:", "header:", "name"},
	{"PATCH /check/api?key=k", "PATCH", "GET"},
	{"POST /rules/a {}", "POST", "PUT"},
	{"GET /throttle?key=k", "GET", "use POST"},
	{"POST /check/api {", "JSON", "body"},
	{"POST /throttle {\"key\":\"k\"}", "max_burst", "is missing"},
	{"POST /check/api {\"kee\":\"k\"}", "kee", "unknown field"},
	{"PUT /rules/a {\"limit\":\"CL.WINDOW 5 60\"}", "limit", "unknown field"},
	{"PUT /rules/a {}", "limits", "CL.THROTTLE 4 5 60"},
	{"PUT /rules/a%20b {\"limits\":\"CL.WINDOW 5 60\"}", "name", "letters"},
}

func TestOverHTTP(t *testing.T) {
	c, address := serve(t)
	require.EqualValues(t, "OK", c.Do("CL.RULE", "SET", "api", "CL.WINDOW", 5, 60))
	before := state(c)
	for _, r := range overHTTP {
		parts := append(strings.SplitN(r.input, " ", 3), "")
		ask, err := http.NewRequest(parts[0], address+parts[1], strings.NewReader(parts[2]))
		require.NoError(t, err)
		if parts[2] != "" {
			ask.Header.Set("Content-Type", "application/json")
		}
		reply, err := http.DefaultClient.Do(ask)
		require.NoError(t, err)
		text, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		reply.Body.Close()
		r.check(t, strings.ReplaceAll(string(text), `\"`, `"`)+" Allow: "+reply.Header.Get("Allow"))
		assert.GreaterOrEqual(t, reply.StatusCode, 400, r.input)
		assert.Equal(t, before, state(c), "%s: nothing has changed", r.input)
	}
}
