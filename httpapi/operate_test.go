package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cellserver/limiters/ruleset"

	"github.com/stretchr/testify/require"
)

// newPage is a server whose page may do everything.
func newPage(t *testing.T, directives ...string) *web {
	w := newWeb(t, directives...)
	w.Page = Page{Reads: true, Writes: true, Keys: true}
	return w
}

// put sets a rule.
func (w *web) put(name, limits string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodPut, "/rules/"+name, fmt.Sprintf(`{"limits":%q}`, limits), append(headers, "Content-Type", "application/json")...)
}

func TestStatus(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	w.get("/check/api?key=ann")
	w.get("/check/api?key=ann")
	w.Do("CL.THROTTLE \"b\\xffb\" 0 1 60 2")
	got := w.get("/status")
	require.Equal(t, 200, got.Status)
	require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	require.Equal(t, `[map[allowed:1 limited:1 name:api shadow_limited:0]]`, fmt.Sprint(got.Body["status"].(map[string]any)["rules"]))
	require.Contains(t, got.Text, `"limited_keys":[{"key":"ann","times":1,"over":0},{"key":"b`+"\uFFFD"+`b","times":1,"over":0}]`)

	w.Keys = false
	got = w.get("/status")
	require.NotContains(t, got.Text, "ann")
	require.Equal(t, []any{nil, false, true}, []any{got.Body["limited_keys"], got.Body["shows_keys"], got.Body["may_write"]})
}

func TestRules(t *testing.T) {
	w := newPage(t)
	require.Equal(t, `{"rules":[]}`+"\n", w.get("/rules").Text)
	require.Equal(t, true, w.put("api", " CL.WINDOW  1 60 ").Body["changed"])
	require.Equal(t, 429, []reply{w.get("/check/api?key=ann"), w.get("/check/api?key=ann")}[1].Status)
	require.Equal(t, true, w.put("api", "CL.WINDOW 9 60 SHADOW").Body["changed"])
	require.Equal(t, 200, w.get("/check/api?key=ann").Status)
	w.Do("CL.RULE OVERRIDE api - secret CL.WINDOW 5 60")
	require.Equal(t, `{"rules":[{"name":"api","limits":"CL.WINDOW 9 60 SHADOW",`+
		`"words":"9/minute in windows SHADOW","source":"key","overrides":1}]}`+"\n", w.get("/rules").Text)
	require.Equal(t, true, w.put("api", "100/minute AND 5 per second burst 20").Body["changed"])
	w.Want("CL.RULE GET api", "CL.LOG 100 60 AND CL.THROTTLE 19 5 1")
	require.Contains(t, w.get("/rules").Text, `"words":"100/minute AND 5/second burst 20"`)
	require.Equal(t, "'minuet' is not a unit of time: use ms, second, minute, hour, day, week or month; "+
		"did you mean minute?", w.put("api", "100/minuet").Body["detail"])
	require.Equal(t, true, w.send(http.MethodDelete, "/rules/api", "").Body["changed"])
	require.Equal(t, false, w.send(http.MethodDelete, "/rules/api", "").Body["changed"])
	w.Want("CL.RULE GET api", nil)
}

func TestTry(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET api CL.WINDOW 2 60")
	body := `{"limits":"CL.WINDOW 1 60"}`
	require.Equal(t, `{"millis":0,"asked":0,"limited":0,"limited_by_rule":0,"limited_on_trial":0}`+"\n", w.post("/try/api", body).Text)
	for range 3 {
		w.get("/check/api?key=ann")
	}
	require.Equal(t, `{"millis":0,"asked":3,"limited":1,"limited_by_rule":1,"limited_on_trial":2}`+"\n", w.post("/try/api", body).Text)
	require.Equal(t, []any{404, noSuchRule}, w.post("/try/other", body).code())
	require.Equal(t, []any{400, badRequest}, w.post("/try/api", `{"limits":"CL.WINDOW -1 60"}`).code())
	require.Equal(t, "limits must be a text in quotes, and not 5", w.post("/try/api", `{"limits":5}`).Body["detail"])
	require.Equal(t, []any{405, notAllowed}, w.get("/try/api").code())
	w.Writes = false
	require.Equal(t, []any{403, forbidden}, w.post("/try/api", body).code())
}

// TestManyTrials: a trial that has no room is not wrong. It may have room later.
func TestManyTrials(t *testing.T) {
	w := newPage(t)
	for i := range ruleset.MaxRecordings + 1 {
		w.Do(fmt.Sprintf("CL.RULE SET api%d CL.WINDOW 2 60", i))
		got := w.post(fmt.Sprintf("/try/api%d", i), `{"limits":"CL.WINDOW 1 60"}`)
		if i < ruleset.MaxRecordings {
			require.Equal(t, 200, got.Status)
			continue
		}
		require.Equal(t, []any{503, unavailable}, got.code())
		require.Equal(t, "1", got.Header.Get("Retry-After"))
	}
}

func TestWrongRules(t *testing.T) {
	w := newPage(t)
	for limits, detail := range map[string]string{
		"": "limits must be those of CL.RULE SET, such as 100/minute or CL.THROTTLE 4 5 60", "CL.WINDOW -1 60": "limit '-1' must", "CL.NO 1": "limiter",
	} {
		got := w.put("api", limits)
		require.Equal(t, []any{400, badRequest}, got.code(), limits)
		require.Contains(t, got.Body["detail"], detail)
	}
	require.Equal(t, 400, w.put("two%20words", "CL.WINDOW 1 60").Status)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	require.Equal(t, []any{400, badRequest}, w.put("api?b", "CL.WINDOW 9 60").code(), "this is not the rule api")
	require.Equal(t, []any{400, badRequest}, w.send(http.MethodDelete, "/rules/api?b", "").code())
	require.Equal(t, []any{400, badRequest}, w.post("/try/api?b", `{"limits":"CL.WINDOW 9 60"}`).code())
	require.Equal(t, "CL.WINDOW 1 60", w.Do("CL.RULE GET api"))
	require.Equal(t, int64(1), w.Do("CL.RULE DEL api"))
	require.Equal(t, 405, w.get("/rules/api").Status)
	require.Equal(t, 405, w.send(http.MethodPost, "/rules", "").Status)
	require.Equal(t, 405, w.send(http.MethodPut, "/status", "").Status)
	require.Equal(t, 413, w.put("api", strings.Repeat("x", MaxBody)).Status)
	require.Equal(t, 415, w.send(http.MethodPut, "/rules/api", `{"limits":"CL.WINDOW 1 60"}`, "Content-Type", "text/plain").Status, "a form of another site can send this type")
	require.Equal(t, 400, w.send(http.MethodPut, "/rules/api", `{"limits":"CL.WINDOW 1 60","more":1}`, "Content-Type", "application/json").Status)
	w.Want("CL.RULE LIST", []any{})
}

// TestForeignPages: a page of somebody else reads nothing and changes nothing.
func TestForeignPages(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	for _, host := range []string{"evil.test", "evil.test:7380", "127.0.0.1.evil.test", "localhost.evil.test", ""} {
		require.Equal(t, []any{403, forbidden}, w.get("/status", "Host", host).code(), host)
		require.Equal(t, []any{403, forbidden}, w.put("api", "CL.WINDOW 9 60", "Host", host).code(), host)
	}
	for _, host := range []string{"localhost", "LOCALHOST:7380", "127.0.0.1", "[::1]:7380", "[::1]", "10.1.2.3:80"} {
		require.Equal(t, 200, w.get("/status", "Host", host).Status, host)
	}
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.test"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:8080"},
	} {
		require.Equal(t, []any{403, forbidden}, w.put("api", "CL.WINDOW 9 60", headers...).code(), headers)
		require.Equal(t, []any{403, forbidden}, w.send(http.MethodDelete, "/rules/api", "", headers...).code(), headers)
	}
	require.Equal(t, "CL.WINDOW 1 60", w.Do("CL.RULE GET api"))
	require.Equal(t, 200, w.put("api", "CL.WINDOW 2 60", "Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:7380").Status)

	w.Token = "t1"
	require.Equal(t, 401, w.get("/status", "Host", "limits.example").Status)
	require.Equal(t, 200, w.get("/status", "Host", "limits.example", "X-Cellserver-Token", "t1").Status, "nobody else knows the token")
}

// TestRightsOfThePage: http-page and the user of http-user both must allow a request.
func TestRightsOfThePage(t *testing.T) {
	w := newPage(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	w.Writes = false
	require.Equal(t, []any{403, forbidden}, w.put("api", "CL.WINDOW 2 60").code())
	require.Equal(t, []any{403, forbidden}, w.send(http.MethodDelete, "/rules/api", "").code())
	require.Equal(t, 200, w.get("/rules").Status)
	w.Page = Page{}
	require.Equal(t, []any{403, forbidden}, w.get("/status").code())
	require.Equal(t, 404, w.get("/").Status)

	w.Page = Page{Reads: true, Writes: true, Keys: true}
	w.Do("ACL SETUSER default reset on nopass ~* +cl.mcheck +cl.status +cl.rule|list")
	require.Equal(t, 403, w.get("/status").Status, "names of keys need the right to CL.TOP")
	w.Keys = false
	require.Equal(t, 200, w.get("/status").Status)
	require.Equal(t, 200, w.get("/rules").Status)
	require.Equal(t, []any{403, forbidden}, w.put("api", "CL.WINDOW 2 60").code())
}

// TestLockedPage: if other clients need a password, nobody sees numbers and rules without the token.
func TestLockedPage(t *testing.T) {
	w := newPage(t)
	w.Locked = true
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	for _, got := range []reply{w.get("/status"), w.get("/rules"), w.put("api", "CL.WINDOW 2 60"), w.post("/try/api", `{"limits":"CL.WINDOW 2 60"}`)} {
		require.Equal(t, []any{403, forbidden}, got.code())
		require.Contains(t, got.Body["detail"], "set http-token")
	}
	require.Equal(t, 200, w.get("/check/api?key=ann").Status, "limits are no page")
	w.Token = "t1"
	require.Equal(t, 401, w.get("/status").Status)
	require.Equal(t, 200, w.get("/status", "X-Cellserver-Token", "t1").Status)
}

// TestFilesOfThePage: they need no token, and keep a browser from everything else.
func TestFilesOfThePage(t *testing.T) {
	w := newPage(t)
	w.Token = "t1"
	load := func(path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		out := httptest.NewRecorder()
		w.api.ServeHTTP(out, r)
		return out
	}
	document := load("/")
	require.Equal(t, 200, document.Code)
	require.Equal(t, "text/html; charset=utf-8", document.Header().Get("Content-Type"))
	policy := document.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe")
	for _, path := range []string{"/page.css", "/page.js", "/page.svg"} {
		require.Contains(t, document.Body.String(), `"`+path+`"`)
		require.Equal(t, 200, load(path).Code)
		require.Equal(t, 304, load(path, "If-None-Match", load(path).Header().Get("ETag")).Code)
	}
	require.Equal(t, 401, load("/status").Code)
	require.Equal(t, 401, load("/nothing").Code)
}
