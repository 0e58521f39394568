package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// override sends PUT with JSON.
func (w *web) override(rule, body string) reply {
	w.t.Helper()
	return w.send(http.MethodPut, "/overrides/"+rule, body, "Content-Type", "application/json")
}

// TestOverrides sets, lists and removes the limits of keys and of a network over HTTP.
func TestOverrides(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 9 60 AND SCOPE user CL.WINDOW 5 60")
	w.Do("CL.RULE SET api CL.WINDOW 2 60")
	require.Equal(t, `{"overrides":[]}`+"\n", w.get("/overrides/api").Text)
	long := strings.Repeat("k", 300)
	for _, c := range [][2]string{
		{"api", `{"key": "mallory", "limits": "BLOCK"}`}, {"api", `{"scope": "-", "key": "10.0.0.0/8", "limits": " CL.WINDOW 50 60  AND CL.THROTTLE 9 1 1"}`},
		{"llm", `{"scope": "user", "key": "ann", "limits": "7 per minute"}`}, {"api", `{"key": "` + long + `", "limits": "ALLOW"}`},
		{"llm", `{"scope": "org", "key": "a&b=\"c\"", "limits": "ALLOW"}`},
	} {
		require.Equal(t, `{"changed":true}`+"\n", w.override(c[0], c[1]).Text, c[1])
	}
	require.Equal(t, `{"overrides":[{"scope":"-","key":"10.0.0.0/8","limits":["CL.WINDOW 50 60","CL.THROTTLE 9 1 1"],`+
		`"words":"50/minute in windows AND 1/second burst 10"},`+
		`{"scope":"-","key":"mallory","limits":["BLOCK"]},{"scope":"-","key":"sha256:`, w.get("/overrides/api").Text[:225])
	require.JSONEq(t, `{"overrides":[{"scope":"org","key":"a&b=\"c\"","limits":["ALLOW"]},{"scope":"user","key":"ann","limits":["CL.LOG 7 60"],"words":"7/minute"}]}`,
		w.get("/overrides/llm").Text)
	require.Equal(t, 429, w.get("/check/api?key=mallory").Status)
	require.Equal(t, "49", w.get("/check/api?key=ip", "X-Forwarded-For", "10.1.2.3").Body["policies"].([]any)[0].(map[string]any)["remaining"].(interface{ String() string }).String())
	require.Equal(t, 200, w.post("/check/api", `{"key": "`+long+`", "quantity": 500}`).Status)

	query := "?" + url.Values{"scope": {"org"}, "key": {`a&b="c"`}}.Encode()
	require.Equal(t, `{"changed":true}`+"\n", w.send(http.MethodDelete, "/overrides/llm"+query, "").Text)
	require.Equal(t, `{"changed":false}`+"\n", w.send(http.MethodDelete, "/overrides/llm"+query, "").Text)
	require.Equal(t, `{"changed":true}`+"\n", w.send(http.MethodDelete, "/overrides/api?key=10.0.0.0/8", "").Text)
	require.Equal(t, `{"changed":true}`+"\n", w.send(http.MethodDelete, "/overrides/api?key="+long, "").Text)
	require.NotContains(t, w.get("/overrides/api").Text, "10.0.0.0/8")
}

// TestWrongOverrides: what cannot be an override changes nothing, and the answer says what may stand there.
func TestWrongOverrides(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 9 60 AND SCOPE user CL.WINDOW 5 60")
	w.Do("CL.RULE SET api CL.WINDOW 2 60")
	w.Do("CL.RULE OVERRIDE api - bob BLOCK")
	changes := w.Store.Changes()
	for _, c := range []struct{ rule, body, want string }{
		{"api", `{"key": "a"}`, "limits must be those of CL.RULE SET"}, {"api", `{"limits": "BLOCK"}`, "key is missing"},
		{"api", `{"key": "bob", "limits": "DEL"}`, "to remove an override, send DELETE"}, {"api", `{"key": 5, "limits": "BLOCK"}`, "key must be a text in quotes, and not 5"},
		{"api", `{"key": "a", "limits": ["BLOCK"]}`, "limits must be a text in quotes"}, {"api", `{"key": "a", "limits": "BLOCK", "ttl": 5}`, `unknown field "ttl"`},
		{"api", `{"scope": "user", "key": "a", "limits": "BLOCK"}`, "the rule api has no scopes: write - in the place of 'user'"}, {"llm", `{"key": "a", "limits": "BLOCK"}`, "the rule llm has the scopes org, user: '-' is not one of them"},
		{"nope", `{"key": "a", "limits": "BLOCK"}`, "there is no rule 'nope'"}, {"api", `{"key": "10.1.2.3/8", "limits": "BLOCK"}`, "write 10.0.0.0/8"},
		{"api", `{"key": "10.0.0.0/33", "limits": "BLOCK"}`, "is no network"}, {"api", `{"key": "a", "limits": "100/minuet"}`, "'minuet' is not a unit of time"},
	} {
		got := w.override(c.rule, c.body)
		require.Contains(t, got.Body["detail"], c.want, c.body)
		require.Contains(t, []int{400, 404}, got.Status, c.body)
	}
	for target, want := range map[string]string{
		"/overrides/api": "name the key", "/overrides/api?key=a&key=b": "key is there twice", "/overrides/api?key=a&x=b": "unknown parameter 'x'",
		"/overrides/nope?key=a": "there is no rule 'nope'", "/overrides/api?key=%zz": "wrong escape",
	} {
		require.Contains(t, w.send(http.MethodDelete, target, "").Body["detail"], want, target)
	}
	const noQuery = "this request takes no parameters after ?"
	put := w.send(http.MethodPut, "/overrides/llm?scope=user", `{"scope": "org", "key": "a", "limits": "BLOCK"}`)
	require.Equal(t, noQuery, put.Body["detail"])
	require.Equal(t, noQuery, w.get("/overrides/llm?scope=user").Body["detail"])
	require.Equal(t, []any{404, noSuchRule}, w.get("/overrides/nope").code())
	require.Equal(t, []any{405, notAllowed}, w.post("/overrides/api", `{}`).code())
	require.Equal(t, changes, w.Store.Changes())
}

// TestRightsToOverrides: a change needs http-page write and a right of its own. A list shows keys, so it needs a right, too.
func TestRightsToOverrides(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET api CL.WINDOW 2 60")
	const body = `{"key": "ann", "limits": "BLOCK"}`
	w.Writes, w.Keys = false, false
	require.Equal(t, []any{403, forbidden}, w.override("api", body).code())
	require.Equal(t, "overrides show keys: set http-page-keys to yes, or http-page to write", w.get("/overrides/api").Body["detail"])
	w.Keys = true
	require.Equal(t, 200, w.get("/overrides/api").Status)
	w.Writes = true
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Host", "evil.example:7380"}} {
		got := w.send(http.MethodPut, "/overrides/api", body, append(headers, "Content-Type", "application/json")...)
		require.Contains(t, []int{403, 421}, got.Status, headers)
	}
	w.Do("ACL SETUSER default reset on nopass ~* +cl.rule|set +cl.rule|list +cl.mcheck +acl")
	require.Equal(t, []any{403, forbidden}, w.override("api", body).code())
	require.Equal(t, []any{403, forbidden}, w.send(http.MethodDelete, "/overrides/api?key=ann", "").code())
	require.Equal(t, []any{403, forbidden}, w.get("/overrides/api").code())
	require.Equal(t, 200, w.get("/check/api?key=ann").Status)
	w.Do("ACL SETUSER default +cl.rule|override")
	require.Equal(t, 200, w.override("api", body).Status)
	require.Equal(t, 429, w.get("/check/api?key=ann").Status)
}

// TestUnknownPath: the answer repeats the path, in bounds.
func TestUnknownPath(t *testing.T) {
	w := newWeb(t)
	require.Contains(t, w.get("/chekc/api?key=secret").Body["detail"], "there is no path '/chekc/api': ask /check, ")
	require.NotContains(t, w.get("/chekc/api?key=secret").Text, "secret")
	require.Contains(t, w.get("/a%0d%0a%ff<b>").Body["detail"], "there is no path '/a???<b>': ask /check, ")
	require.Contains(t, w.get("/" + strings.Repeat("x", 9000)).Body["detail"], "'/"+strings.Repeat("x", 39)+"…': ask")
}
