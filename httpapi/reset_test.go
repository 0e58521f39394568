package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var rightResets = []string{
	`{"rule": "login", "key": "ann"}`,
	`{"rule": "login", "keys": ["ann"]}`,
	`{"rule": "llm", "keys": ["acme", "ann"]}`,
	`{"rule": "llm", "scope": "user", "key": "ann"}`,
}

var wrongResets = []string{
	`{}`, `{"rule": "login"}`, `{"key": "ann"}`, `{"rule": "login", "key": 5}`, `{"rule": "login", "key": "ann", "quantity": 1}`,
	`{"rule": "login", "key": "ann", "scope": 5}`, `{"rule": "login", "key": "ann", "keys": ["ann"]}`,
}

// TestReset: one request gives a key a fresh start, as the description says.
func TestReset(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET login CL.THROTTLE 4 5 60 AND CL.WINDOW 100 86400")
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 3 60")
	for _, body := range rightResets {
		require.True(t, describes(t, "Reset", body), body)
		require.Equal(t, 200, w.post("/reset", body).Status, body)
	}
	for _, body := range wrongResets {
		require.False(t, describes(t, "Reset", body), body)
		require.Equal(t, 400, w.post("/reset", body).Status, body)
	}
	w.Do("CL.CHECK login ann 5")
	require.Equal(t, 429, w.post("/check/login", `{"key": "ann"}`).Status)
	require.Equal(t, "2", w.post("/reset", rightResets[0]).number("removed"))
	require.Equal(t, 200, w.post("/check/login", `{"key": "ann"}`).Status)
	w.Do("CL.CHECK llm acme ann 3")
	require.Equal(t, "1", w.post("/reset", rightResets[3]).number("removed"))
	require.Equal(t, "1", w.post("/reset", rightResets[2]).number("removed"))

	got := w.post("/reset", `{"rule": "llm", "scope": "team", "key": "ann"}`)
	require.Equal(t, []any{400, badRequest}, got.code())
	require.Equal(t, "the rule llm has the scopes org, user: 'team' is not one of them", got.Body["detail"])
	require.Equal(t, []any{400, badRequest}, w.post("/reset", `{"rule": "llm", "key": "ann"}`).code())
	require.Equal(t, []any{404, noSuchRule}, w.post("/reset", `{"rule": "no", "key": "ann"}`).code())
	require.Equal(t, []any{405, notAllowed}, w.get("/reset").code())
	w.Do("ACL SETUSER default -cl.rule|reset")
	require.Equal(t, []any{403, forbidden}, w.post("/reset", rightResets[0]).code())
}
