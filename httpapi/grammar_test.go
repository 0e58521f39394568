package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBodies: a body that nobody reads is refused, and a body of JSON is read in every form that HTTP has for it.
func TestBodies(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	const body = `{"key": "a", "quantity": 3}`
	left := func(got reply) string { return got.number("remaining") }
	for i, kind := range []string{
		"application/json", "application/json;", "Application/JSON; charset=UTF-8", `application/json;charset="utf-8"`, "application/json; charset=us-ascii; x=y",
	} {
		got := w.send(http.MethodPost, "/check/api", body, "Content-Type", kind)
		require.Equal(t, 200, got.Status, kind)
		require.Equal(t, 100-3*(i+1), atoi(t, left(got)), kind)
	}
	changes := w.Store.Changes()
	for _, headers := range [][]string{
		nil,
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"Content-Type", "text/plain"},
		{"Content-Type", "application/jsonp"},
		{"Content-Type", "application/json; charset=latin1"},
		{"Content-Type", "application/json; charset"},
		{"Content-Type", "application/json", "Content-Type", "text/plain"},
		{"Content-Type", "application/json", "Content-Encoding", "gzip"},
	} {
		for _, target := range []string{"/check/api?key=ip", "/throttle", "/reserve", "/settle"} {
			got := w.send(http.MethodPost, target, body, headers...)
			require.Equal(t, []any{415, otherType}, got.code(), "%s %q", target, headers)
			require.Equal(t, []string{"application/json"}, got.fields("Accept"))
		}
	}
	for _, wrong := range []string{"{\"key\": \"\xff\"}", "{\"key\": \"\xc0\xaf\"}"} {
		got := w.post("/check/api", wrong)
		require.Equal(t, []any{415, "the body is not UTF-8"}, []any{got.Status, got.Body["detail"]})
	}
	require.Equal(t, changes, w.Store.Changes())
	require.Equal(t, 200, w.send(http.MethodPost, "/check/api?key=a", "").Status, "there is no body")
	require.Equal(t, 200, w.send(http.MethodGet, "/check/api?key=a", body, "Content-Type", "text/plain").Status, "a proxy may pass on the body of its client")
}

func atoi(t *testing.T, text string) (n int) {
	t.Helper()
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n
}

// TestMethods: each path names the methods that it takes.
func TestMethods(t *testing.T) {
	w := newWeb(t)
	w.Reads, w.Writes = true, true
	for target, allow := range map[string]string{
		"/check": "GET, POST, HEAD", "/check/api?key=a": "GET, POST, HEAD", "/explain/api?key=a": "GET, POST, HEAD", "/throttle": "POST", "/reserve": "POST",
		"/settle": "POST", "/status": "GET, HEAD", "/rules": "GET, HEAD", "/rules/api": "PUT, DELETE", "/try/api": "POST", "/overrides/api": "GET, HEAD, PUT, DELETE",
	} {
		for _, method := range []string{"PATCH", "OPTIONS", "PROPFIND", "get", "X-Y"} {
			got := w.send(method, target, "")
			require.Equal(t, []any{405, notAllowed}, got.code(), "%s %s", method, target)
			require.Equal(t, []string{allow}, got.fields("Allow"))
		}
	}
}

// TestNoCacheDecides: no cache may keep a reply, whatever it is.
func TestNoCacheDecides(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	for _, status := range []int{200, 429} {
		got := w.get("/check/api?key=a")
		require.Equal(t, []any{status, []string{"no-store"}}, []any{got.Status, got.fields("Cache-Control")})
	}
	for _, target := range []string{"/check/none?key=a", "/check/api", "/explain/api?key=a", "/none", "/throttle"} {
		require.Equal(t, []string{"no-store"}, w.get(target).fields("Cache-Control"), target)
	}
}

// TestEscapesOfKeys: a key has the bytes that the escapes of the query say.
func TestEscapesOfKeys(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	for query, key := range map[string]string{
		"a+b": "a b", "a%2Bb": "a+b", "a%20b": "a b", "a%26b%3Dc": "a&b=c", "%ff%fe": "\xff\xfe", "%C3%A9": "é", "é": "é", "a%00b": "a\x00b", "a%0d%0ab": "a\r\nb",
		"a%2525": "a%25", "a;b": "a;b", "a=b": "a=b",
	} {
		require.Equal(t, 200, w.get("/check/api?key="+query).Status, query)
		require.Equal(t, "1", w.Do("GET", "api:{"+key+"}:window"), query)
		w.Do("DEL", "api:{"+key+"}:window")
	}
	for _, query := range []string{"%", "a%2", "%zz"} {
		require.Equal(t, []any{400, badRequest}, w.get("/check/api?key="+query).code(), query)
	}
}

// TestLongKeys: the length of a key is not the fault of a client. The same key is the same count, and each has its own.
func TestLongKeys(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 9 60")
	token := strings.Repeat("x", 5000)
	require.Equal(t, 200, w.get("/check/api?key="+token).Status)
	require.Equal(t, 200, w.get("/check/api?key=plain-header:X-Key", "X-Key", token).Status)
	require.Equal(t, 200, w.post("/check/api", `{"key": "`+token+`"}`).Status)
	require.Equal(t, 200, w.post("/reserve", `{"rule": "api", "key": "`+token+`", "quantity": 1, "id": "1", "ttl": 9}`).Status)
	require.Equal(t, 200, w.post("/settle", `{"rule": "api", "key": "`+token+`", "quantity": 1, "id": "1"}`).Status)
	require.Equal(t, "5", w.get("/explain/api?quantity=0&key="+token).number("remaining"))
	require.Equal(t, "9", w.get("/explain/api?quantity=0&key=y"+token).number("remaining"))
	for range 2 {
		require.Equal(t, 200, w.post("/throttle", `{"key": "`+token+`", "max_burst": 1, "count": 1, "period": 60}`).Status)
	}
	const numbers = `", "max_burst": 1, "count": 1, "period": 60}`
	require.Equal(t, 429, w.post("/throttle", `{"key": "`+token+numbers).Status)
	require.True(t, describes(t, "Throttle", `{"key": "`+token+numbers))
}

// TestPreflight: a preflight request passes and does not count, if the proxy asks for that.
func TestPreflight(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 1 60")
	preflight := []string{"X-Forwarded-Method", "OPTIONS", "Origin", "https://shop", "Access-Control-Request-Method", "PUT"}
	const target = "/check/api?key=header:Authorization&preflight=allow"
	for range 3 {
		got := w.get(target, preflight...)
		require.Equal(t, []any{200, true}, []any{got.Status, got.Body["allowed"]})
		require.Equal(t, 200, w.send(http.MethodOptions, "/forward/rule=api&key=text:a&preflight=allow/x", "", preflight[2:]...).Status)
	}
	require.Equal(t, []any{400, missingKey}, w.get("/check/api?key=header:Authorization", preflight...).code())
	require.Equal(t, []any{400, missingKey}, w.get(target, preflight[:2]...).code(), "OPTIONS alone is no preflight")
	require.Equal(t, []any{400, missingKey}, w.get(target, "X-Forwarded-Method", "PUT", "Origin", "https://shop", "Access-Control-Request-Method", "PUT").code())
	got := w.get("/check/api?key=a&preflight=deny")
	require.Equal(t, []any{400, `preflight must be allow, and not "deny"`}, []any{got.Status, got.Body["detail"]})
	require.Equal(t, []any{400, badRequest}, w.get("/explain/api?key=a&preflight=allow").code())
	w.Want("KEYS api:*", []string{})
}

// TestNoBody: many clients name the type of a body that they do not send. Then the query says everything.
func TestNoBody(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	for _, kind := range []string{"application/json", "application/x-www-form-urlencoded", "text/plain;charset=UTF-8", ""} {
		require.Equal(t, 200, w.send(http.MethodPost, "/check/api?key=a", "", "Content-Type", kind).Status, kind)
		got := w.send(http.MethodPost, "/check/api", "", "Content-Type", kind)
		require.Equal(t, []any{400, missingKey}, got.code(), kind)
	}
	w.Want("GET api:{a}:window", "4")
	for _, c := range []struct{ kind, body string }{
		{"application/json; charset=utf8", `{"key": "b"}`}, {"application/json", "\ufeff" + `{"key": "b"}`},
	} {
		require.Equal(t, 200, w.send(http.MethodPost, "/check/api", c.body, "Content-Type", c.kind).Status, c.kind)
	}
	w.Want("GET api:{b}:window", "2")
}

// TestParametersOnce: it is unknown which of two values counts, so the request is refused and not counted.
func TestParametersOnce(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	for _, c := range []struct{ query, body, want string }{
		{"key=a&quantity=1&quantity=1", "", "quantity is there twice: give it once"},
		{"key=a&peek&peek=false", "", "peek is there twice: give it once"},
		{"key=a&charge=1&charge=0", "", "charge is there twice: give it once"},
		{"key=header:X&missing=deny&missing=allow", "", "missing is there twice: give it once"},
		{"key=a&status=403&status=429", "", "status is there twice: give it once"},
		{"key=a&preflight=allow&preflight=allow", "", "preflight is there twice: give it once"},
		{"key=a&quantity=1&%71uantity=1", "", "quantity is there twice: give it once"},
		{"quantity=3", `{"key": "a", "quantity": 5}`, "quantity is there twice: give it once"},
		{"peek", `{"key": "a", "peek": false}`, "peek is there twice: give it once"},
		{"key=b", `{"key": "a"}`, "there are keys in the query and in the body: give them in one place"},
	} {
		got := w.post("/check/api?"+c.query, c.body)
		require.Equal(t, []any{400, c.want}, []any{got.Status, got.Body["detail"]}, c.query)
		if c.body == "" {
			got = w.get("/forward/rule=api&" + c.query + "/x")
			require.Equal(t, []any{400, c.want}, []any{got.Status, got.Body["detail"]}, c.query)
		}
	}
	w.Want("DBSIZE", 0)
	require.Equal(t, 200, w.post("/check/api?quantity=3&%6bey=a", `{"peek": false, "charge": null}`).Status)
	w.Want("GET api:{a}:window", "3")
}

// TestEmptyKeys: a variable of a proxy that is empty makes a missing key. Otherwise all such clients would be one.
func TestEmptyKeys(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	for _, query := range []string{"key=", "key", "key=text:", "key=a&rule=api&key="} {
		require.Equal(t, []any{400, missingKey}, w.get("/check/api?"+query).code(), query)
	}
	require.Equal(t, []any{400, missingKey}, w.get("/explain/api?key=").code())
	for path, body := range map[string]string{
		"/check/api": `{"key": ""}`, "/check": `{"rules": [{"rule": "api", "key": ""}]}`,
		"/reserve": `{"rule": "api", "key": "", "quantity": 1, "id": "i", "ttl": 9}`, "/settle": `{"rule": "api", "key": "", "quantity": 1, "id": "i"}`,
		"/reset": `{"rule": "api", "key": ""}`,
	} {
		require.Equal(t, []any{400, missingKey}, w.post(path, body).code(), path)
	}
	got := w.post("/throttle", `{"key": "", "max_burst": 1, "count": 1, "period": 1}`)
	require.Equal(t, []any{400, "key is missing"}, []any{got.Status, got.Body["detail"]})
	require.Equal(t, 200, w.get("/check/api?key=text:&missing=ip", "X-Forwarded-For", "10.0.0.1").Status)
	require.Equal(t, 429, w.get("/check/api?key=text:&missing=deny").Status)
	w.Want("KEYS *", []string{"api:{10.0.0.1}:window"})
}

// TestChallenges: each 401 has a challenge (RFC 9110, 15.5.2), and the scheme has any case (11.1).
func TestChallenges(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 0 60")
	require.Equal(t, []string{`Bearer realm="cellserver"`}, w.get("/check/api?key=a&status=401").fields("WWW-Authenticate"))
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	w.Token = "t"
	for given, status := range map[string]int{
		"Bearer t": 200, "bearer t": 200, "BEARER   t": 200, "Bearer": 401, "Bearert": 401, "Bearer t ": 401, "Basic t": 401, "": 401,
	} {
		require.Equal(t, status, w.get("/check/api?key=a", "Authorization", given).Status, given)
	}
	require.Equal(t, 200, w.get("/check/api?key=a", "Authorization", "Bearer of a client", "X-Cellserver-Token", "t").Status)
}
