package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

var limitHeaders = []string{"RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"}

func TestCheck(t *testing.T) {
	w := newWeb(t)
	require.Equal(t, []any{http.StatusNotFound, noSuchRule}, w.get("/check/login?key=ann").code())
	w.Do("CL.RULE SET login CL.THROTTLE 1 1 10 AND CL.WINDOW 5 3600")
	got := w.get("/check/login?key=ann")
	require.Equal(t, http.StatusOK, got.Status)
	require.Equal(t, []string{`"login:throttle";q=2;w=20, "login:window";q=5;w=3600`, `"login:throttle";r=1;t=10, "login:window";r=4;t=3600`, "2", "1", "10", ""},
		got.fields(limitHeaders...))
	require.JSONEq(t, `{"allowed": true, "limit": 2, "remaining": 1, "retry_after": null, "reset_after": 10, "policies": [
		{"policy": "login:throttle", "limit": 2, "remaining": 1, "retry_after": null, "reset_after": 10, "window": 20},
		{"policy": "login:window", "limit": 5, "remaining": 4, "retry_after": null, "reset_after": 3600, "window": 3600}]}`, got.Text)
	w.get("/check/login?key=ann")
	got = w.send(http.MethodPost, "/check/login?key=ann", "")
	require.Equal(t, http.StatusTooManyRequests, got.Status)
	require.Equal(t, []string{`"login:throttle";q=2;w=20, "login:window";q=5;w=3600`, `"login:throttle";r=0;t=10, "login:window";r=3;t=3600`, "2", "0", "20", "10"},
		got.fields(limitHeaders...))
	require.Equal(t, []any{"login:throttle"}, got.Body["violated-policies"])
	require.Equal(t, false, got.Body["allowed"])

	// A quantity that can never be allowed has no time for another try.
	got = w.get("/check/login?key=bob&quantity=3")
	require.Equal(t, []any{http.StatusTooManyRequests, nil}, []any{got.Status, got.Body["retry_after"]})
	require.Equal(t, "", got.fields("Retry-After")[0])

	require.Equal(t, http.StatusOK, w.get("/check/login?key=bob&quantity=2&peek").Status)
	require.Equal(t, http.StatusOK, w.get("/check/login?key=bob&quantity=2&peek=0").Status)
	require.Equal(t, http.StatusForbidden, w.get("/check/login?key=bob&status=403").Status)
	w.Advance(10 * time.Second)
	require.Equal(t, http.StatusOK, w.send(http.MethodHead, "/check?rule=login&key=b%6Fb", "").Status)
	require.Equal(t, http.StatusTooManyRequests, w.post("/check/login", `{"key": "bob"}`).Status)
	require.Contains(t, w.Info("throttle")["limiter_cl.mcheck"], "limited=4,looked=1")
}

// TestCheckAll: several rules count an action together, or not at all.
func TestCheckAll(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET ip CL.WINDOW 2 60")
	w.Do("CL.RULE SET user CL.WINDOW 3 60")
	w.Do("CL.RULE SET try CL.WINDOW 1 60 SHADOW")
	const all = "/check/ip?key=ip&rule=user&key=header:X-User&rule=try&key=all"
	for i, want := range []int{200, 200, 429} {
		got := w.get(all, "X-Forwarded-For", "10.0.0.1", "X-User", "ann")
		require.Equal(t, want, got.Status, i)
	}
	got := w.get(all, "X-Forwarded-For", "10.0.0.2", "X-User", "ann")
	require.Equal(t, http.StatusOK, got.Status)
	require.Equal(t, []string{`"ip";q=2;w=60, "user";q=3;w=60`, `"ip";r=1;t=60, "user";r=0;t=60`}, got.fields("RateLimit-Policy", "RateLimit"))
	require.Equal(t, []string{"3", "0"}, got.fields("X-RateLimit-Limit", "X-RateLimit-Remaining"))
	require.Len(t, got.Body["policies"], 3)
	got = w.get(all, "X-Forwarded-For", "10.0.0.2", "X-User", "ann")
	require.Equal(t, []any{"user"}, got.Body["violated-policies"])
	w.Want("GET ip:{10.0.0.2}:window", "1")

	got = w.post("/check", `{"rules": [{"rule": "ip"}, {"rule": "user", "key": "bob"}], "key": "ip", "quantity": 2}`)
	require.Equal(t, http.StatusOK, got.Status, "a key of a body is never a source")
	w.Want("GET ip:{ip}:window", "2")
	require.Equal(t, []any{http.StatusBadRequest, badRequest}, w.get("/check/ip?key=a&rule=ip&key=a").code())

	// A rule with SHADOW tells clients nothing.
	require.Equal(t, []string{"", "", "", "", "", ""}, w.get("/check/try?key=a").fields(limitHeaders...))
	got = w.get("/check/try?key=a")
	require.Equal(t, []any{200, true}, []any{got.Status, got.Body["allowed"]})
	for _, left := range []string{"2", "1"} {
		got = w.get("/check?rule=user&rule=try&key=eve")
		require.Equal(t, []string{"3", left}, got.fields("X-RateLimit-Limit", "X-RateLimit-Remaining"))
	}
}

// TestScopes: a rule with scopes has a key for each of them.
func TestScopes(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET llm SCOPE team CL.WINDOW 9 60 AND SCOPE user CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 7 3600 AND SCOPE user CL.THROTTLE 4 5 60")
	w.Do("CL.RULE SET ip CL.WINDOW 8 60")
	got := w.get("/check/llm?key=red&key=plain-header:X-User&quantity=2", "X-User", "ann")
	require.Equal(t, []string{`"llm:team";q=9;w=60, "llm:user:window";q=5;w=60, "llm:user:window:2";q=7;w=3600, "llm:user:throttle";q=5;w=60`}, got.fields("RateLimit-Policy"))
	require.Equal(t, "3", got.number("remaining"))
	w.Want("MGET llm@team:{red}:window llm@user:{ann}:window", []string{"2", "2"})
	got = w.post("/check/llm", `{"keys": ["red", "bob"], "quantity": 5}`)
	require.Equal(t, "0", got.number("remaining"))
	got = w.get("/check?rule=llm&key=red&rule=llm&key=eve&rule=ip&key=i1&quantity=3")
	require.Equal(t, 429, got.Status)
	require.Equal(t, []any{"llm:team"}, got.Body["violated-policies"])
	w.Want("EXISTS ip:{i1}:window", 0)

	// A rule without scopes counts each of its keys.
	require.Equal(t, 200, w.get("/check/ip?key=a&key=b").Status)
	w.Want("MGET ip:{a}:window ip:{b}:window", []string{"1", "1"})
}

// TestCheckCharge: a charge counts even if less is left, and its status is 200.
func TestCheckCharge(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 5 60")
	w.Do("CL.RULE SET ip CL.WINDOW 50 60")
	got := w.get("/check/api?key=a&quantity=7&charge&status=403")
	require.Equal(t, 200, got.Status)
	require.JSONEq(t, `{"allowed": false, "limit": 5, "remaining": -2, "retry_after": 60, "reset_after": 60,
		"policies": [{"policy": "api", "limit": 5, "remaining": -2, "retry_after": 60, "reset_after": 60, "window": 60}]}`, got.Text)
	require.Equal(t, []string{"5", "0"}, got.fields("X-RateLimit-Limit", "X-RateLimit-Remaining"))
	require.Equal(t, 429, w.get("/check/api?key=a&charge=0").Status)
	got = w.post("/check", `{"rules": [{"rule": "ip", "key": "i"}, {"rule": "api", "key": "a"}], "quantity": 3, "charge": true}`)
	require.Equal(t, []any{200, "-5"}, []any{got.Status, got.number("remaining")})
	w.Want("MGET ip:{i}:window api:{a}:window", []string{"3", "10"})
}

// TestNegativeQuantity: no request to a rule gives back, whatever its limits are.
func TestNegativeQuantity(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.THROTTLE 4 5 60")
	w.Do("CL.CHECK api a 3")
	changes := w.Store.Changes()
	for _, got := range []reply{w.get("/check/api?key=a&quantity=-1"), w.get("/check/api?key=a&quantity=-1&charge"), w.get("/forward/rule=api&key=text:a&quantity=-1/"),
		w.get("/explain/api?key=a&quantity=-1"), w.post("/check/api", `{"key": "a", "quantity": -1}`)} {
		require.Equal(t, []any{400, badRequest}, got.code())
		require.Equal(t, "quantity '-1' must not be negative", got.Body["detail"])
	}
	require.Equal(t, changes, w.Store.Changes())
}

// TestDefaultRule: the rule default decides over HTTP, too. Each name counts for itself, and names its policy.
func TestDefaultRule(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET default CL.WINDOW 2 60")
	require.Equal(t, 200, w.get("/check/a?key=k&quantity=2").Status)
	got := w.get("/check?rule=b&key=k&rule=a&key=other")
	require.Equal(t, []string{`"b";q=2;w=60, "a";q=2;w=60`}, got.fields("RateLimit-Policy"))
	require.Equal(t, 429, w.get("/check/a?key=k").Status)
	require.Equal(t, []any{404, noSuchRule}, w.get("/check/a%20b?key=k").code())
	why := w.get("/explain/b?key=k&quantity=0")
	require.Equal(t, []any{"default", "1"}, []any{why.Body["rule"], why.number("remaining")})
	require.Equal(t, 200, w.post("/reserve", `{"rule": "c", "key": "k", "quantity": 2, "id": "1", "ttl": 9}`).Status)
	require.Equal(t, "1", w.post("/settle", `{"rule": "c", "key": "k", "quantity": 1, "id": "1"}`).number("remaining"))
	require.Equal(t, "0", w.get("/explain/a?key=k").number("remaining"))
}

func TestExplain(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 50 60 AND SCOPE user CL.THROTTLE 9 10 60")
	w.Do("CL.RULE OVERRIDE llm org acme CL.SLIDING 90 60")
	w.Do("CL.CHECK llm acme ann 8")
	changes := w.Store.Changes()
	got := w.get("/explain/llm?key=plain-header:X-Org&key=ann&quantity=3", "X-Org", "acme")
	require.Equal(t, 200, got.Status)
	require.JSONEq(t, `{"rule": "llm", "source": "key", "shadow": false, "allowed": false, "limit": 10, "remaining": 2, "retry_after": 6, "reset_after": 48,
		"tightest": 1, "limits": [
			{"scope": "org", "key": "acme", "limiter": "CL.SLIDING", "arguments": "90 60", "source": "override", "state_key": "llm@org:{acme}:sliding",
				"state": {"previous": 0, "current": 8, "counts_end": 1800000120000},
				"allowed": true, "limit": 90, "remaining": 82, "retry_after": null, "reset_after": 113, "window": 60},
			{"scope": "user", "key": "ann", "limiter": "CL.THROTTLE", "arguments": "9 10 60", "source": "rule", "state_key": "llm@user:{ann}:throttle",
				"state": {"tat": 1800000048000},
				"allowed": false, "limit": 10, "remaining": 2, "retry_after": 6, "reset_after": 48, "window": 60, "words": "10/minute burst 10"}]}`, got.Text)
	require.Equal(t, "-1", w.get("/explain/llm?key=acme&key=ann&quantity=3&charge").number("remaining"))
	require.Equal(t, 200, w.send(http.MethodHead, "/explain/llm?key=acme&key=text:ip", "").Status)
	require.Equal(t, []any{400, missingKey}, w.get("/explain/llm?key=header:X-Org&key=ann").code())
	require.Equal(t, changes, w.Store.Changes())
	w.Do("ACL SETUSER default -cl.explain")
	require.Equal(t, []any{403, forbidden}, w.get("/explain/llm?key=acme&key=ann").code())
}

func TestForward(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET a/b CL.WINDOW 1 60")
	get := func(method, target string) int {
		return w.send(method, target, "", "X-Forwarded-For", "10.0.0.1", "Content-Type", "application/json").Status
	}
	require.Equal(t, http.StatusOK, get(http.MethodDelete, "/forward/rule=a%2Fb&key=ip,path/shop/1?key=other&peek"))
	require.Equal(t, http.StatusTooManyRequests, get(http.MethodPut, "/forward/rule=a%2Fb&key=ip,path//shop//1?quantity=0"))
	require.Equal(t, http.StatusOK, get(http.MethodPut, "/forward/rule=a%2Fb&key=ip,path/shop/2"))
	require.Equal(t, http.StatusOK, get(http.MethodGet, "/forward/rule=a%2Fb&key=path"))
	require.Equal(t, http.StatusForbidden, get(http.MethodGet, "/forward/rule=a%2Fb&key=path&status=403/"))
	require.Equal(t, http.StatusBadRequest, get(http.MethodGet, "/forward/"))
	for _, odd := range []string{"/shop|/../shop/1", "/shop/1;^", `/x\../shop/1`, "/shop/1#", `/"/../shop/1`} {
		require.Equal(t, http.StatusTooManyRequests, get(http.MethodGet, "/forward/rule=a%2Fb&key=ip,path"+odd), "the client does not change the parameters")
	}
	w.Want("EXISTS a/b:{10.0.0.1,/shop/1}:window a/b:{/}:window", 2)
}

func TestMissingKeys(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	const api = "/check/api?key=header:X-Api-Key"
	for _, c := range []struct {
		target, header string
		want           []any
	}{
		{api, "", []any{400, missingKey}},
		{api + "&missing=allow", "", []any{200, nil}},
		{api + "&missing=allow", "", []any{200, nil}},
		{api + "&missing=deny", "", []any{429, nil}},
		{api + "&missing=deny&status=401", "", []any{401, nil}},
		{api + "&missing=nobody", "", []any{200, nil}},
		{api + "&missing=nobody", "", []any{429, nil}},
		{api + "&missing=nobody", "k", []any{200, nil}},
		{api + "&missing=cookie:id", "", []any{400, missingKey}},
		{api + "&missing=Deny", "", []any{400, badRequest}},
		{api + "&missing=SKIP%20", "k", []any{400, badRequest}},
		{api + "&missing=text:Deny", "", []any{200, nil}},
		{"/check/api", "", []any{400, missingKey}},
	} {
		headers := []string{"X-Api-Key", c.header}
		if c.header == "" {
			headers = nil
		}
		require.Equal(t, c.want, w.get(c.target, headers...).code(), c.target)
	}
	require.Equal(t, []any{400, badRequest}, w.get(api, "X-Api-Key", "a", "X-Api-Key", "b").code())
	require.Equal(t, 200, w.get(api, "X-Api-Key", strings.Repeat("x", 1025)).Status)
	require.Equal(t, 200, w.get(api, "X-Api-Key", strings.Repeat("x", 1026)).Status, "it has a count of its own")
	require.Equal(t, 429, w.get(api, "X-Api-Key", strings.Repeat("x", 1025)).Status)
}

// TestSkippedRules: beside other rules, a rule without its key is not asked, and the others decide.
func TestSkippedRules(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET address CL.WINDOW 3 60")
	w.Do("CL.RULE SET client CL.WINDOW 2 60")
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 5 60")
	for _, target := range []string{
		"/check?rule=client&key=header:X-Api-Key&rule=address&key=ip&missing=skip",
		"/check/client?key=header:X-Api-Key&rule=address&key=ip&missing=skip",
		"/forward/rule=address&key=ip&rule=client&key=header:X-Api-Key&missing=skip/a",
	} {
		w.Do("FLUSHALL")
		w.Do("CL.RULE SET address CL.WINDOW 3 60")
		w.Do("CL.RULE SET client CL.WINDOW 2 60")
		with := []string{"X-Forwarded-For", "10.0.0.1", "X-Api-Key", "a"}
		require.Equal(t, []string{"2"}, w.get(target, with...).fields("X-RateLimit-Limit"), target)
		got := w.get(target, with[:2]...)
		require.Equal(t, []string{`"address";q=3;w=60`, "1"}, got.fields("RateLimit-Policy", "X-RateLimit-Remaining"))
		require.Equal(t, 200, w.get(target, with[:2]...).Status)
		require.Equal(t, []any{"address"}, w.get(target, with[:2]...).Body["violated-policies"])
		require.Equal(t, 429, w.get(target, with...).Status, "the address is limited with a key, too")
		with[1] = "10.0.0.2"
		require.Equal(t, 200, w.get(target, with...).Status)
		require.Equal(t, []any{"client"}, w.get(target, with...).Body["violated-policies"])
	}
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 5 60")
	changes := w.Store.Changes()
	for target, detail := range map[string]string{
		"/check?rule=client&key=header:A&rule=address&key=cookie:b&missing=skip": "needs one rule with a key",
		"/check/client?key=header:A&missing=skip":                                "needs one rule with a key",
		"/check/llm?key=ip":                                                 "the rule llm has the scopes org, user: give a key for each",
		"/check/llm?key=ip&key=header:A&missing=skip":                       "1 rules and 2 keys",
		"/check/llm?key=ip&rule=llm&key=header:A&missing=skip":              `twice, such as "llm"`,
		"/check/client?key=header:A&rule=address&missing=skip":              "2 rules and 1 keys",
		"/check?rule=client&key=header:A&rule=address&key=ip&missing=allow": "use missing=skip",
		"/check?rule=client&rule=address&key=header:A&missing=allow":        "use missing=skip",
		"/explain/client?key=header:A&missing=skip":                         "missing with another source",
		"/check/client?key=header:A&missing=Deny":                           "missing 'Deny': use allow, deny, skip or a source",
	} {
		got := w.get(target, "X-Forwarded-For", "10.0.0.1")
		require.Equal(t, 400, got.Status, target)
		require.Contains(t, got.Body["detail"], detail, target)
	}
	require.Equal(t, changes, w.Store.Changes())
}

// TestWrongRequests: the API refuses a whole request if it does not know a part of it.
func TestWrongRequests(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 5 60")
	w.Do("CL.RULE SET llm SCOPE team CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 5 60")
	changes := w.Store.Changes()
	for target, want := range map[string][]any{
		"/":                                          {404, notFound},
		"/checks":                                    {404, notFound},
		"/check":                                     {400, badRequest},
		"/check/":                                    {400, badRequest},
		"/check/api?key=a&quantity=x":                {400, badRequest},
		"/check/api?key=a&quantity=-1":               {400, badRequest},
		"/check/api?key=a&quantity=PEEK":             {400, badRequest},
		"/check/api?key=a&peek=maybe":                {400, badRequest},
		"/check/api?key=a&status=200":                {400, badRequest},
		"/check/api?key=a&burst=2":                   {400, badRequest},
		"/check/api?key=%zz":                         {400, badRequest},
		"/check/api?key=header:":                     {400, badRequest},
		"/check/api?key=a&missing=ip,cookie:":        {400, badRequest},
		"/check/llm?key=a":                           {400, badRequest},
		"/check?rule=api&rule=llm&key=a&key=b&key=c": {400, badRequest},
		"/check/api?key=a&rule=none":                 {404, noSuchRule},
		"/check/" + url.PathEscape("api\r\n1") + "?key=a": {404, noSuchRule},
		"/check?key=a" + strings.Repeat("&rule=api", 17):  {400, badRequest},
		"/check?rule=api" + strings.Repeat("&key=a", 17):  {400, badRequest},
		"/check/api?key=a&charge=maybe":                   {400, badRequest},
		"/explain/":                                       {400, badRequest},
		"/explain/api":                                    {400, missingKey},
		"/explain/api?key=a&rule=llm":                     {400, badRequest},
		"/explain/api?key=a&key=5":                        {400, badRequest},
		"/explain/api?key=a&key=MS":                       {400, badRequest},
		"/explain/api?key=a&key=PEEK&quantity=2":          {400, badRequest},
		"/explain/api?key=cookie:a&missing=allow":         {400, badRequest},
		"/explain/api?key=a&status=403":                   {400, badRequest},
		"/explain/llm?key=a":                              {400, badRequest},
		"/explain/llm?key=a&key=b&key=c":                  {400, badRequest},
		"/explain/none?key=a":                             {404, noSuchRule},
		"/throttle":                                       {405, notAllowed},
	} {
		require.Equal(t, want, w.get(target).code(), target)
	}
	require.Equal(t, []any{405, notAllowed}, w.send(http.MethodDelete, "/check/api?key=a", "").code())
	for _, body := range []string{`{"key": "a"} {}`, `{"key": 1}`, `{"keys": "a"}`, `[`, ``, `{"rules": [{"rule": "api"}]}`} {
		require.Equal(t, 400, w.post("/check/api", body).Status, body)
	}
	require.Equal(t, []any{413, tooLarge}, w.post("/check/api", `{"key": "`+strings.Repeat("x", MaxBody)+`"}`).code())
	require.Equal(t, []any{400, badRequest}, w.post("/check?rule=api", `{"rules": [`+strings.Repeat(`{"rule":"api","key":"a"},`, 16)+`{"rule":"api","key":"a"}]}`).code())
	require.Equal(t, changes, w.Store.Changes())
	w.Do("SET api:{a}:window text")
	require.Equal(t, []any{400, badRequest}, w.get("/check/api?key=a").code())
	w.SortedSet("z", "m")
	w.Do("RENAME z api:{a}:window")
	require.Equal(t, []any{409, wrongType}, w.get("/check/api?key=a").code())
}

func TestToken(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 5 60")
	w.Token = "secret"
	for _, headers := range [][]string{
		nil, {"Authorization", "Bearer"}, {"Authorization", "Bearer "}, {"Authorization", "Bearer Secret"}, {"Authorization", "Basic secret"},
		{"Authorization", "secret"}, {"X-Cellserver-Token", "x"}, {"Authorization", "Bearer secret", "X-Cellserver-Token", "x"},
	} {
		got := w.get("/check/api?key=a", headers...)
		require.Equal(t, []any{401, unauthorized}, got.code(), "%q", headers)
		require.Equal(t, "close", got.Header.Get("Connection"))
	}
	for _, headers := range [][]string{
		{"Authorization", "Bearer secret"}, {"X-Cellserver-Token", "secret"}, {"Authorization", "Bearer of the client", "X-Cellserver-Token", "secret"},
	} {
		require.Equal(t, 200, w.get("/check/api?key=a", headers...).Status, "%q", headers)
	}
	w.Token = "new"
	require.Equal(t, 401, w.get("/openapi.json", "X-Cellserver-Token", "secret").Status)
}

// TestGuessedTokens: guesses of the token have the limit, the numbers and the line in the log that AUTH has.
func TestGuessedTokens(t *testing.T) {
	var log strings.Builder
	w := newWebOn(t, servertest.NewAt(t, &servertest.Edge{Log: &log}, "--auth-fail-limit", "3 60"), nil)
	w.Do("CL.RULE SET api CL.WINDOW 9999 60")
	w.Token = "secret"
	ask := func(token string) reply { return w.get("/check/api?key=a", "X-Cellserver-Token", token) }
	for range 100 {
		require.Equal(t, 401, w.get("/check/api?key=a").Status, "a request without a token guesses nothing")
		got := ask("old")
		require.Equal(t, []any{401, ""}, []any{got.Status, got.Header.Get("Retry-After")}, "the same wrong token is one guess")
	}
	require.Equal(t, 200, ask("secret").Status)
	ask("a")
	require.NotContains(t, log.String(), "too many failed attempts")
	ask("b")
	require.Equal(t, 1, strings.Count(log.String(), "too many failed attempts to authenticate"))
	for i := range 1000 {
		got := ask(fmt.Sprint("guess", i))
		require.Equal(t, []any{401, unauthorized}, got.code())
		require.Equal(t, "20", got.Header.Get("Retry-After"))
		require.Equal(t, "close", got.Header.Get("Connection"))
		require.Contains(t, got.Body["detail"], "auth-fail-limit")
	}
	require.Equal(t, 200, ask("secret").Status, "the owner of the address passes")
	require.Equal(t, "102", w.Info("cellserver")["auth_failures"])
	require.Equal(t, "1000", w.Info("cellserver")["auth_limited"])

	// An address that has never had the token learns nothing.
	from := func(addr, token string) int {
		r := httptest.NewRequest(http.MethodGet, "/check/api?key=a", nil)
		r.Host, r.RemoteAddr = "127.0.0.1:7380", addr
		r.Header.Set("Authorization", "Bearer "+token)
		return w.serve(r).Status
	}
	for i := range 3 {
		require.Equal(t, 401, from(fmt.Sprintf("[2001:db8::%d]:9", i), fmt.Sprint(i)))
	}
	require.Equal(t, 401, from("[2001:db8::7]:9", "secret"), "the network has guessed too often")
	require.Equal(t, 200, from("[2001:db8:0:1::7]:9", "secret"))
	w.Advance(20 * time.Second)
	require.Equal(t, 200, from("[2001:db8::7]:9", "secret"))
}
