package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheRuleOfABody: /check takes the rule where /reserve takes it. A refused request counts nothing.
func TestTheRuleOfABody(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 3 60")
	for _, body := range []string{
		`{"rule": "api", "key": "ann"}`, `{"rule": "api", "keys": ["ann"]}`,
		`{"key": "ann", "rule": "api", "quantity": 1}`,
	} {
		require.Equal(t, 200, w.post("/check", body).Status, body)
	}
	require.Equal(t, 429, w.post("/check/api", `{"key": "ann"}`).Status, "they share their count")
	w.Do("CL.RULE SET all CL.WINDOW 5 60")
	require.Equal(
		t,
		429,
		w.post("/check/all", `{"rule": "api", "keys": ["bob", "ann"]}`).Status,
		"a further rule, as in a query",
	)
	require.Equal(
		t,
		429,
		w.post("/check", `{"rule": "all", "key": "bob", "rules": [{"rule": "api", "key": "ann"}]}`).Status,
	)
	for _, test := range []struct{ target, body, want string }{
		{"/check", `{"rule": "", "key": "bob"}`, "there is no rule ''"},
		{"/check", `{"rule": 7, "key": "bob"}`, "rule must be"},
		{"/check", `{"rule": "ipa", "key": "bob"}`, "there is no rule"},
	} {
		got := w.post(test.target, test.body)
		require.GreaterOrEqual(t, got.Status, 400)
		require.Contains(t, fmt.Sprint(got.Body), test.want, test.body)
	}
	require.Equal(t, int64(0), w.Do("EXISTS api:{bob}:window all:{bob}:window"))
}

// TestFieldsWithNull: encoders write null for a value that is not there.
func TestFieldsWithNull(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 3 60")
	for _, body := range []string{
		`{"key": "ann", "quantity": null, "rule": null, "rules": null, "keys": null}`,
		`{"keys": ["ann"], "key": null, "peek": null}`,
		`{"rules": [{"rule": "api", "key": "ann", "keys": null}], "rule": null}`,
	} {
		path := "/check/api"
		if strings.Contains(body, "rules\": [") {
			path = "/check"
		}
		got := w.post(path, body)
		require.Equal(t, 200, got.Status, "%s: %v", body, got.Body)
	}
	require.Equal(t, 429, w.post("/check/api", `{"key": "ann"}`).Status, "each of them has counted 1")
	got := w.post("/check/api", `{"key": null}`)
	require.Equal(t, []any{400, missingKey}, got.code(), "%v", got.Body)
}

// TestNoKeyIsDropped: a key of a body that nobody would count is an error, and nothing counts.
func TestNoKeyIsDropped(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 3 60")
	w.Do("CL.RULE SET all CL.WINDOW 3 60")
	for _, test := range []struct{ body, want string }{
		{`{"rules": [{"rule": "api", "key": "ann"}], "key": "bob"}`,
			"key 'bob' is for no rule: each of rules has a key of its own"},
		{`{"rules": [{"rule": "api", "keys": ["ann"]}, {"rule": "all", "key": "ann"}], "key": "bob"}`,
			"key 'bob' is for no rule: each of rules has a key of its own"},
		{`{"rule": "api", "keys": ["ann"], "key": "bob"}`, "key and keys are both there: give one of them"},
		{`{"rule": "api", "keys": {"user": "ann"}, "key": "bob"}`, "key and keys are both there: give one of them"},
		{`{"rules": [{"rule": "api", "keys": ["ann"], "key": "bob"}]}`, "key and keys are both there: give one of them"},
	} {
		got := w.post("/check", test.body)
		require.Equal(t, []any{400, test.want}, []any{got.Status, got.Body["detail"]}, test.body)
	}
	w.Want("DBSIZE", 0)
	body := `{"rules": [{"rule": "api", "key": "ann"}, {"rule": "all"}], "key": "bob"}`
	require.Equal(t, 200, w.post("/check", body).Status)
	w.Want("EXISTS api:{ann}:window all:{bob}:window", 2)
	for _, none := range []string{"[]", "{}", "null"} {
		body = `{"rules": [{"rule": "api", "keys": ` + none + `}], "key": "` + none + `"}`
		require.Equal(t, 200, w.post("/check", body).Status, body)
	}
}

// TestTheErrorNamesTheKey: who asks with a key that the request does not have reads which one that is.
func TestTheErrorNamesTheKey(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 3 60")
	const tooFew = "the request has no key: fewer proxies than http-trusted-proxies says have written an address"
	for query, want := range map[string]string{
		"key=ip":                                "key 'ip': " + tooFew,
		"key=ip/56,path":                        "key 'ip/56,path': " + tooFew,
		"key=header:X-Api-Key":                  "key 'header:X-Api-Key': the request has no key",
		"key=a&rule=api&key=cookie:a&peek":      "key 'cookie:a': the request has no key",
		"key=header:X-Api-Key&missing=ip":       "key 'ip': " + tooFew,
		"key=":                                  "key '': the request has no key",
		"key=header:" + strings.Repeat("a", 99): "key 'header:" + strings.Repeat("a", 20),
	} {
		got := w.get("/check/api?" + query)
		require.Equal(t, []any{400, missingKey}, got.code(), query)
		require.Contains(t, got.Body["detail"], want, query)
	}
	got := w.get("/check/api?key=plain-header:A", "A", "1", "A", "2")
	require.Equal(t, "key 'plain-header:A': the request has the key twice", got.Body["detail"])
}
