package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProblemsNameTheirFields: a reply says which field is wrong, and how. It never shows types of Go.
func TestProblemsNameTheirFields(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.THROTTLE 15 30 60")
	const numbers = `{"key": "k", "max_burst": 1, "count": 1, "period": 1, `
	for _, c := range []struct{ path, body, want string }{
		{"/check/api", `[]`, "the body must be an object of JSON: it is of the type array"},
		{"/check/api", `"a"`, "the body must be an object of JSON: it is of the type string"},
		{"/throttle", `7`, "the body must be an object of JSON: it is of the type number"},
		{"/check/api", `{"key": 7}`, "key must be a text in quotes, and not 7"},
		{"/check/api", `{"key": "a", "peek": 1}`, "peek must be true or false, and not 1"},
		{"/check/api", `{"kee": "a"}`, `unknown field "kee": this request does not take it`},
		{"/check/api", `{"key": "a", "quantity": "3"}`, `quantity must be a number without quotes, and not "3"`},
		{"/check/api", `{"keys": ["a", 42]}`, "key must be a text in quotes, and not 42"},
		{"/check/api", `{"keys": "a"}`, `keys must be a list, or an object with the names of scopes, and not "a"`},
		{"/check", `{"rules": [{"rule": "api", "key": 42}]}`, "key must be a text in quotes, and not 42"},
		{"/check", `{"rules": [{"rule": "api", "key": "a", "kee": 1}]}`, `unknown field "kee": this request does not take it`},
		{"/check", `{"rules": ["api"], "key": "a"}`, `rules must be a list of objects, each with rule and key, and not "api"`},
		{"/check/api", `{}`, "name a key: key=… in the query, or key in the body of a POST with Content-Type: application/json"},
		{"/throttle", numbers + `"peek": "yes"}`, `peek must be true or false, and not "yes"`},
		{"/throttle", numbers + `"peek": 1}`, "peek must be true or false, and not 1"},
		{"/throttle", numbers + `"quantity": true}`, "quantity must be a number without quotes, and not true"},
		{"/throttle", numbers + `"quantity": "1"}`, `quantity must be a number without quotes, and not "1"`},
		{"/throttle", `{"key": ["k"]}`, `key must be a text in quotes, and not ["k"]`},
		{"/throttle", `{"limiter": "window", "key": "k", "limit": 5, "period": 60, "align": "hour"}`, `align must be true, false, day, week, month or year, and not "hour"`},
		{"/throttle", `{"limiter": "log", "key": "k", "limit": 5, "period": 60, "gap": true}`, "gap must be a number without quotes, and not true"},
		{"/throttle", `{"key": "k", "max_burst": ` + strings.Repeat("9", 33) + `}`, "max_burst must be a number of at most 32 digits, and not " + strings.Repeat("9", 33)},
		{"/throttle", `{"limiter": 5}`, "limiter must be a text in quotes, and not 5"},
		{"/settle", `{"rule": "api", "key": 42, "quantity": 1, "id": "i"}`, "key must be a text in quotes, and not 42"},
		{"/reserve", `{"rule": "api", "key": "k", "quantity": 1, "id": "i", "ttl": 9, "release": "no"}`, `release must be true or false, and not "no"`},
	} {
		got := w.post(c.path, c.body)
		require.Equal(t, http.StatusBadRequest, got.Status, c.body)
		require.Equal(t, c.want, got.Body["detail"], c.body)
	}
	w.Want("DBSIZE", 0)
	require.Equal(t, 200, w.post("/throttle", numbers+`"peek": false}`).Status)
	require.Equal(t, 200, w.post("/throttle", numbers+`"peek": null, "quantity": null}`).Status)
}

// TestProblemsAreShort: a reply repeats little of what a client sends.
func TestProblemsAreShort(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.THROTTLE 15 30 60")
	long := strings.Repeat("9", 60_000)
	for _, got := range []reply{
		w.post("/check/api", `{"`+long+`": 1}`),
		w.post("/check/api", `{"key": "a", "quantity": `+long+`}`),
		w.post("/check/api", `{"rules": [{"rule": "`+long+`"}]}`),
		w.post("/throttle", `{"key": "a", "`+long+`": 1, "max_burst": 1, "count": 1, "period": 1}`),
		w.post("/throttle", `{"key": "a", "max_burst": 1, "count": `+long+`, "period": 1}`),
		w.post("/throttle", `{"limiter": "`+long+`"}`),
		w.post("/reserve", `{"rule": "`+long+`", "key": "a", "quantity": 1, "id": "i", "ttl": 9}`),
		w.post("/enter", `{"key": "a", "lease": 5, "holder": "h", "partition": "p", "partitions": {"`+long+`": ""}}`),
		w.post("/enter", `{"key": "a", "lease": 5, "holder": "h", "partition": "p", "partitions": {"`+long+`": 1}}`),
		w.get("/check/api?" + long),
		w.get("/check/api?" + long + "=%zz"),
		w.get("/check/api?key=" + long),
		w.get("/check/api?key=header:" + long),
		w.get("/check/" + long + "?key=a"),
		w.get("/" + long),
	} {
		require.GreaterOrEqual(t, got.Status, 400)
		require.Less(t, got.Status, 500, got.Text)
		require.Less(t, len(got.Text), 500, got.Text[:min(500, len(got.Text))])
	}
}

// TestProblemsStay: a request with two wrong fields always has the same answer.
func TestProblemsStay(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.THROTTLE 15 30 60")
	for _, c := range []struct{ path, body, want string }{
		{"/check/api", `{"key": "a", "x": 1, "kee": 1, "z": 1}`, `unknown field "kee": this request does not take it`},
		{"/check/api", `{"key": "a", "charge": 1, "peek": 1}`, "peek must be true or false, and not 1"},
	} {
		for range 30 {
			require.Equal(t, c.want, w.post(c.path, c.body).Body["detail"])
		}
	}
}
