package httpapi

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const llm = "SCOPE org CL.WINDOW 50000 3600 AND SCOPE team CL.WINDOW 9000 3600 AND SCOPE user CL.WINDOW 6000 3600"

// newLLM returns a server with a rule of three scopes and one without.
func newLLM(t *testing.T) *web {
	w := newWeb(t)
	w.Do("CL.RULE SET llm " + llm)
	w.Do("CL.RULE SET api CL.WINDOW 5 60")
	return w
}

// TestKeysByScope: all requests about a rule take its keys by the names of their scopes, in any order.
func TestKeysByScope(t *testing.T) {
	const named = `"keys": {"user": "ann", "org": "acme", "team": "search"}`
	for _, c := range []struct {
		path, body, org, team, user string
	}{
		{"/check/llm", `{` + named + `, "quantity": 7}`, "7", "7", "7"},
		{"/check/llm?quantity=7", `{` + named + `}`, "7", "7", "7"},
		{"/check", `{"rules": [{"rule": "llm", ` + named + `}, {"rule": "api", "key": "x"}]}`, "1", "1", "1"},
		{"/check/api", `{"rules": [{"rule": "llm", "keys": ["acme", "search", "ann"]}], "key": "x"}`, "1", "1", "1"},
		{"/check", `{"rules": [{"rule": "llm@user,org,team", "keys": ["ann", "acme", "search"]}]}`, "1", "1", "1"},
		{"/check/llm@user,org,team?key=ann&key=acme&key=search", ``, "1", "1", "1"},
		{"/check?rule=llm@user&key=ann&rule=llm@team&key=search&rule=api&key=x&rule=llm@org&key=acme", ``, "", "", ""},
		{"/check?rule=llm@user&key=ann&rule=llm@team&key=search&rule=llm@org&key=acme&rule=api&key=x", ``, "1", "1", "1"},
		{"/reserve", `{"rule": "llm", ` + named + `, "quantity": 40, "id": "a", "ttl": 60}`, "40", "40", "40"},
		{"/reserve", `{"rule": "llm@team,org,user", "keys": ["search", "acme", "ann"], "quantity": 40, "id": "a", "ttl": 60}`, "40", "40", "40"},
	} {
		w := newLLM(t)
		got := w.post(c.path, c.body)
		if c.org == "" {
			require.Equal(t, []any{400, badRequest}, got.code(), c.path)
			require.Equal(t, "the rule llm has the scopes org, team, user: there is no key for org", got.Body["detail"])
			w.Want("DBSIZE", 0)
			continue
		}
		require.Equal(t, 200, got.Status, "%s %s: %s", c.path, c.body, got.Text)
		w.Want("MGET llm@org:{acme}:window llm@team:{search}:window llm@user:{ann}:window", []string{c.org, c.team, c.user})
		want := w.Do("CL.EXPLAIN llm acme search ann 3")
		require.NotEmpty(t, want)
		explained := w.get("/explain/llm?key=acme&key=search&key=ann&quantity=3").Text
		require.Equal(t, explained, w.post("/explain/llm", `{`+named+`, "quantity": 3}`).Text)
		require.Equal(t, explained, w.get("/explain/llm@team,user,org?key=search&key=ann&key=acme&quantity=3").Text)
	}
	w := newLLM(t)
	require.Equal(t, 200, w.post("/reserve", `{"rule": "llm", `+named+`, "quantity": 40, "id": "a", "ttl": 60}`).Status)
	require.Equal(t, 200, w.post("/settle", `{"rule": "llm", `+named+`, "quantity": 4, "id": "a"}`).Status)
	w.Want("GET llm@user:{ann}:window", "4")
	require.Equal(t, "1", w.post("/reset", `{"rule": "llm", "keys": {"user": "ann"}}`).number("removed"))
	require.Equal(t, "2", w.post("/reset", `{"rule": "llm", "keys": {"team": "search", "org": "acme"}}`).number("removed"))
	got := w.post("/check/llm", `{`+named+`}`)
	require.Equal(t, []string{`"llm:org";q=50000;w=3600, "llm:team";q=9000;w=3600, "llm:user";q=6000;w=3600`}, got.fields("RateLimit-Policy"))
}

// TestScopesOfAForwardedRequest: a proxy names scopes, too.
func TestScopesOfAForwardedRequest(t *testing.T) {
	w := newLLM(t)
	for _, target := range []string{
		"/forward/rule=llm@user&key=ip&rule=llm@org&key=plain-header:X-Org&rule=llm@team&key=text:search/any/path",
		"/check/llm@user,org,team?key=ip&key=plain-header:X-Org&key=text:search",
	} {
		require.Equal(t, 200, w.get(target, "X-Forwarded-For", "10.0.0.9", "X-Org", "acme").Status, target)
		require.Equal(t, []any{400, missingKey}, w.get(target, "X-Forwarded-For", "10.0.0.9").code(), target)
	}
	w.Want("MGET llm@org:{acme}:window llm@team:{search}:window llm@user:{10.0.0.9}:window", []string{"2", "2", "2"})
}

// TestWrongScopes: keys that do not fit the scopes of the rule are refused with the list of its scopes. They count nothing.
func TestWrongScopes(t *testing.T) {
	const scopes = "the rule llm has the scopes org, team, user: "
	for _, c := range []struct{ keys, want string }{
		{`"keys": {"org": "a", "team": "b"}`, scopes + "there is no key for user"},
		{`"keys": {"org": "a", "team": "b", "users": "c"}`, scopes + "'users' is not one of them"},
		{`"keys": {"org": "a", "team": "b", "user": "c", "x": "d"}`, scopes + "'x' is not one of them"},
		{`"keys": {"org": "a", "team": "b", "user": "c", "org": "d"}`, "the body is not the JSON of this request: the name 'org' is there twice"},
		{`"keys": {"org": "a", "team,user": "b"}`, "keys: 'team,user' is not the name of a scope"},
		{`"keys": {"": "a"}`, "keys: '' is not the name of a scope"},
		{`"keys": {"org": 5}`, "org must be a text in quotes, and not 5"},
		{`"keys": ["a", "b"]`, scopes},
		{`"keys": ["a", "b", "c", "d"]`, scopes},
		{`"key": "a"`, scopes},
		{`"keys": {}`, scopes},
		{`"keys": []`, scopes},
	} {
		w := newLLM(t)
		for path, rest := range map[string]string{
			"/check/llm": `, "quantity": 2`, "/explain/llm": `, "quantity": 2`, "/reserve": `, "rule": "llm", "quantity": 2, "id": "5", "ttl": 60`,
			"/settle": `, "rule": "llm", "quantity": 2, "id": "5"`,
		} {
			got := w.post(path, "{"+c.keys+rest+"}")
			require.Equal(t, 400, got.Status, "%s %s: %s", path, c.keys, got.Text)
			require.Contains(t, got.Body["detail"], c.want, "%s %s", path, c.keys)
		}
		w.Want("DBSIZE", 0)
	}
	w := newLLM(t)
	for _, target := range []string{
		"/check/llm?key=a&key=b&key=c&key=d&key=e&key=f", "/check?rule=llm&key=a&rule=llm&key=b&rule=llm&key=c&rule=llm&key=d&rule=llm&key=e&rule=llm&key=f",
		"/check/llm@org,team?key=a", "/check/llm@org?key=a&key=b", "/explain/llm?key=a&key=b", "/explain/llm@org,team,team?key=a&key=b&key=c",
	} {
		got := w.get(target)
		require.Equal(t, 400, got.Status, target)
		require.Contains(t, got.Body["detail"], "scopes", target)
	}
	w.Want("DBSIZE", 0)
	require.Equal(t, "rule 'llm@org' and keys both name scopes: name them in keys alone",
		w.post("/reserve", `{"rule": "llm@org", "keys": {"org": "a"}, "quantity": 1, "id": "i", "ttl": 9}`).Body["detail"])
	require.Equal(t, []any{400, missingKey}, w.get("/check/llm").code())
	require.Equal(t, "the rule api has no scopes: give one key", w.post("/check/api", `{"keys": {"org": "a"}}`).Body["detail"])
	require.Equal(t, http.StatusNotFound, w.post("/check/nope", `{"keys": {"org": "a"}}`).Status)
}

// TestRightToNamedScopes: a right to one rule covers a request that names the scopes of this rule, and no other one.
func TestRightToNamedScopes(t *testing.T) {
	w := newLLM(t)
	w.Do("ACL SETUSER default reset on nopass ~* +cl.reserve|llm +cl.explain|llm")
	const body = `, "keys": {"org": "a", "team": "b", "user": "c"}, "quantity": 1, "id": "i", "ttl": 9}`
	require.Equal(t, 200, w.post("/reserve", `{"rule": "llm"`+body).Status)
	require.Equal(t, 403, w.post("/reserve", `{"rule": "llm2"`+body).Status)
	require.Equal(t, 403, w.post("/reserve", `{"rule": "LLM"`+body).Status)
	require.Equal(t, 200, w.get("/explain/llm?key=a&key=b&key=c").Status)
}

// TestSameBody: a body that two decoders may understand differently is refused, and counts nothing.
func TestSameBody(t *testing.T) {
	w := newLLM(t)
	for body, detail := range map[string]string{
		`{"key": "a", "key": "b"}`:                   "the name 'key' is there twice",
		`{"key": "a", "quantity": 1, "quantity": 3}`: "the name 'quantity' is there twice",
		`{"key": "x\ud800"}`:                         "no character",
		`{"key": "x\udfff\ud800"}`:                   "no character",
		`{"key": [[[[[[[[[["a"]]]]]]]]]]}`:           "too many brackets",
		`{"key": "a"`:                                "unexpected EOF",
	} {
		for path, rest := range map[string]string{"/check/api": body, "/reserve": `{"rule": "api", "id": "i", "ttl": 9, ` + body[1:]} {
			got := w.post(path, rest)
			require.Equal(t, 400, got.Status, "%s %s", path, rest)
			require.Contains(t, got.Body["detail"], detail, "%s %s", path, rest)
		}
	}
	w.Want("DBSIZE", 0)
	require.Equal(t, 200, w.post("/check/api", `{"key": "x\ud83d\ude00\\ud83d\ufffd"}`).Status)
	w.Want(`EXISTS "api:{x😀\\ud83d�}:window"`, 1)
	require.Contains(t, w.Do("CL.RULE", "SET", "r", "JSON", `{"limits": "CL.WINDOW 1 1", "overrides": {"\ud800": "ALLOW"}}`), "must be JSON")
}
