package httpapi

import (
	"fmt"
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
