package httpapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEnter lets calls of a service begin, and ends them.
func TestEnter(t *testing.T) {
	w := newWeb(t)
	const body = `{"key": "search", "lease": 5, "holder": "a", "start": 1, "least": 1, "most": 9, "algorithm": "AIMD", "latency": 0.1, "window": 0}`
	got := w.post("/enter", body)
	require.Equal(t, 200, got.Status)
	require.JSONEq(t, `{"allowed": true, "limit": 1, "remaining": 0, "retry_after": null, "reset_after": 5}`, got.Text)
	require.Equal(t, []string{"", "", "", "", "", ""}, got.fields(limitHeaders...), "they speak of rates")
	got = w.post("/enter", strings.Replace(body, `"a"`, `"b"`, 1))
	require.Equal(t, 429, got.Status)
	require.Equal(t, []string{"", "", "", "", "", ""}, got.fields(limitHeaders...))
	require.Equal(t, "5", got.number("retry_after"))
	require.JSONEq(t, `{"left": true, "limit": 2}`, w.post("/leave", `{"key": "search", "holder": "a", "latency": 0.02, "outcome": "ok"}`).Text)
	require.JSONEq(t, `{"left": false, "limit": 2}`, w.post("/leave", `{"key": "search", "holder": "a", "outcome": "drop"}`).Text)
	w.Want("CL.LIMIT search", w.Do("CL.LIMIT search"))

	const batch = `{"key": "p", "lease": 5, "holder": "a", "start": 10, "upto": 50, "partition": "batch", "partitions": {"live": 70, "batch": 30}}`
	require.Equal(t, 200, w.post("/enter", batch).Status)
	w.Want("GET {p}:adaptive", "adaptive1 GRADIENT 655360 0 0 0 0 0 batch 30 live 70")
	require.JSONEq(t, `{"left": true, "limit": 10}`, w.post("/leave", `{"key": "p", "holder": "a"}`).Text)
	const rule = `{"key": "q", "lease": 5, "holder": "a", "partition": "rule", "partitions": {"rule": 70, "key": 30}}`
	require.Equal(t, 200, w.post("/enter", rule).Status, "names of fields")
}

// TestEnterRefuses names the field that is wrong.
func TestEnterRefuses(t *testing.T) {
	w := newWeb(t)
	for body, field := range map[string]string{
		`{"lease": 5, "holder": "a"}`:                                                           "key",
		`{"key": "k", "lease": 5}`:                                                              "holder",
		`{"key": "k", "lease": "5", "holder": "a"}`:                                             "lease",
		`{"key": "k", "lease": 5, "holder": "a", "algorithm": "PEEK"}`:                          "algorithm",
		`{"key": "k", "lease": 5, "holder": "a", "algorithm": "aimd"}`:                          "latency",
		`{"key": "k", "lease": 5, "holder": "a", "latency": 1}`:                                 "latency",
		`{"key": "k", "lease": 5, "holder": "a", "least": 1}`:                                   "most",
		`{"key": "k", "lease": 5, "holder": "a", "least": 5, "most": 1}`:                        "most",
		`{"key": "k", "lease": 5, "holder": "a", "partition": "a"}`:                             "partitions",
		`{"key": "k", "lease": 5, "holder": "a", "partition": "a", "partitions": ["a"]}`:        "partitions",
		`{"key": "k", "lease": 5, "holder": "a", "partition": "a", "partitions": {"a": "1"}}`:   "a must be",
		`{"key": "k", "lease": 5, "holder": "a", "partition": "id", "partitions": {"id": "1"}}`: "id must be",
		`{"key": "k", "lease": 5, "holder": "a", "tolerance": 1}`:                               "tolerance",
	} {
		got := w.post("/enter", body)
		require.Equal(t, 400, got.Status, body)
		require.Contains(t, got.Text, field, body)
	}
	for _, body := range []string{`{"key": "k"}`, `{"key": "k", "holder": "a", "outcome": "MS"}`, `{"key": "k", "holder": "a", "latency": "1"}`, `{"key": "k", "holder": "a", "peek": true}`} {
		require.Equal(t, 400, w.post("/leave", body).Status, body)
	}
	w.Want("DBSIZE", 0)
	w.Do("SET {k}:adaptive text")
	require.Equal(t, 400, w.post("/enter", `{"key": "k", "lease": 5, "holder": "a"}`).Status)
	require.Equal(t, 405, w.send("GET", "/enter", "").Status)
}
