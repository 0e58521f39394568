package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/limiters/rules"

	"github.com/stretchr/testify/require"
)

// rightReserves and rightSettles are bodies that the description has, and that the server takes.
var (
	rightReserves = []string{
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "keys": ["k"], "quantity": 0, "id": "7", "ttl": 0.5, "release": true, "peek": false}`,
		`{"rule": "llm", "keys": ["acme", "PEEK"], "quantity": 5, "id": "RELEASE", "ttl": 2592000, "release": false, "peek": true}`,
	}
	rightSettles = []string{
		`{"rule": "one", "key": "k", "id": "a", "quantity": 7}`,
		`{"rule": "one", "keys": ["k"], "id": "a", "quantity": 0, "peek": true}`,
	}
)

// wrongReserves and wrongSettles are bodies that nobody may send.
var (
	wrongReserves = []string{
		``, `[]`, `null`, `{}`, `{"rule": "one"}`, `{"rule": "one", "key": "k", "quantity": 5, "id": "a"}`,
		`{"rule": 5, "key": "k", "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "", "key": "k", "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": 5, "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "keys": [], "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "keys": [["k"]], "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": "k", "keys": ["k"], "quantity": 5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": "5", "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": -5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": 1.5, "id": "a", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": 7, "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "` + strings.Repeat("i", 129) + `", "ttl": 60}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": 0}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": 2592001}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": "60"}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": 60, "release": 1}`,
		`{"rule": "one", "key": "k", "quantity": 5, "id": "a", "ttl": 60, "charge": true}`,
	}
	wrongSettles = []string{
		``, `null`, `{"rule": "one", "key": "k", "id": "a"}`, `{"rule": "one", "key": "k", "quantity": 5}`,
		`{"rule": "one", "key": "k", "id": "a", "quantity": -1}`,
		`{"rule": "one", "key": "k", "id": 1, "quantity": 5}`,
		`{"rule": "one", "key": "k", "id": "a", "quantity": 5, "release": true}`,
		`{"rule": "one", "key": "k", "id": "a", "quantity": 5, "ttl": 60}`,
	}
)

// newBudget is a server with a rule of one scope and a rule of two.
func newBudget(t *testing.T) *web {
	w := newWeb(t)
	w.Do("CL.RULE SET one CL.WINDOW 100 3600")
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 100 3600 AND SCOPE user CL.THROTTLE 69 70 60")
	return w
}

// TestReserve: an estimate, the real cost, and both again.
func TestReserve(t *testing.T) {
	w := newBudget(t)
	const keys = `"rule": "llm", "keys": ["acme", "ann"], `
	reserve := func(id string, quantity int) reply {
		return w.post("/reserve", fmt.Sprintf(`{%s"id": %q, "quantity": %d, "ttl": 30, "release": true}`, keys, id, quantity))
	}
	settle := func(id string, quantity int) reply {
		return w.post("/settle", fmt.Sprintf(`{%s"id": %q, "quantity": %d}`, keys, id, quantity))
	}
	for range 2 { // a client may repeat its request
		got := reserve("a", 60)
		require.Equal(t, 200, got.Status)
		require.Equal(t, []string{`"llm";q=70`, `"llm";r=10;t=52`, "70", "10", "52", ""}, got.fields(limitHeaders...))
	}
	got := reserve("b", 20)
	require.Equal(t, 429, got.Status)
	require.Equal(t, []any{"llm:user"}, got.Body["violated-policies"])
	require.Equal(t, []string{`"llm:user";q=70`, `"llm:user";r=10;t=9`, "70", "10", "52", "9"}, got.fields(limitHeaders...))
	for range 2 {
		got = settle("a", 90)
		require.Equal(t, 200, got.Status)
		require.JSONEq(t, `{"allowed": false, "limit": 70, "remaining": -20, "retry_after": 18, "reset_after": 78,
			"policies": [{"policy": "llm", "limit": 70, "remaining": -20, "retry_after": 18, "reset_after": 78}]}`, got.Text)
	}
	w.Advance(time.Hour)
	require.Equal(t, 200, reserve("c", 50).Status)
	require.Equal(t, "49", w.post("/reserve", `{"rule": "llm", "keys": ["acme", "bob"], "id": "d", "quantity": 1, "ttl": 1, "peek": true}`).number("remaining"))
	w.Advance(30 * time.Second)
	require.Equal(t, []any{404, noReserved}, settle("c", 1).code())
	w.Want("CL.CHECK llm acme bob 0", []any{0, 70, 70, -1, 0})
	require.Equal(t, []any{404, noSuchRule}, w.post("/settle", `{"rule": "no", "key": "k", "id": "a", "quantity": 1}`).code())
}

// TestReserveBodies requires that the description and the server agree about bodies, right ones and wrong ones.
func TestReserveBodies(t *testing.T) {
	w := newBudget(t)
	for _, c := range []struct {
		path, schema string
		right, wrong []string
	}{{"/reserve", "Reserve", rightReserves, wrongReserves}, {"/settle", "Settle", rightSettles, wrongSettles}} {
		for _, body := range c.right {
			require.Equal(t, 200, w.post(c.path, body).Status, body)
			require.True(t, describes(t, c.schema, body), body)
		}
		changes := w.Store.Changes()
		for _, body := range c.wrong {
			require.Equal(t, 400, w.post(c.path, body).Status, body)
			require.False(t, describes(t, c.schema, body), body)
		}
		require.Equal(t, []any{405, notAllowed}, w.get(c.path).code())
		require.Equal(t, 400, w.post(c.path+"?rule=one", c.right[0]).Status)
		require.Equal(t, 415, w.send("POST", c.path, c.right[0]).Status, "without a Content-Type it is no JSON")
		require.Equal(t, []any{413, tooLarge}, w.post(c.path, `{"rule": "`+strings.Repeat("x", MaxBody)+`"}`).code())
		require.Equal(t, changes, w.Store.Changes())
	}
}

// TestReserveRights: a user without the right to a budget is told so.
func TestReserveRights(t *testing.T) {
	w := newBudget(t)
	w.Do("ACL SETUSER default reset on nopass ~* +cl.mcheck")
	require.Equal(t, []any{403, forbidden}, w.post("/reserve", rightReserves[0]).code())
	require.Equal(t, []any{403, forbidden}, w.post("/settle", rightSettles[0]).code())
}

// TestReserveScopes: too few and too many keys never become another request.
func TestReserveScopes(t *testing.T) {
	w := newBudget(t)
	changes := w.Store.Changes()
	for _, keys := range []string{`["acme"]`, `["acme", "5", "5"]`, `["acme", "5", "5", "5"]`} {
		for _, more := range []string{``, `, "peek": true`} {
			for _, id := range []string{"5", "x"} {
				got := w.post("/reserve", `{"rule": "llm", "keys": `+keys+`, "quantity": 5, "id": "`+id+`", "ttl": 60`+more+`}`)
				require.Equal(t, []any{400, badRequest}, got.code(), got.Text)
				got = w.post("/settle", `{"rule": "llm", "keys": `+keys+`, "quantity": 5, "id": "`+id+`"`+more+`}`)
				require.Equal(t, []any{400, badRequest}, got.code(), got.Text)
			}
		}
	}
	require.Equal(t, changes, w.Store.Changes())
}

// TestReserveFull: if a key has too many reservations, the client may try again later.
func TestReserveFull(t *testing.T) {
	w := newBudget(t)
	for i := range rules.MaxReleases {
		w.Do(fmt.Sprint("CL.RESERVE llm acme u", i, " 0 ", i, " 60"))
		w.Do(fmt.Sprint("ZADD llm@org:{acme}:release 9e15 m", i))
	}
	got := w.post("/reserve", `{"rule": "llm", "keys": ["acme", "ann"], "quantity": 5, "id": "a", "ttl": 60, "release": true}`)
	require.Equal(t, []any{503, unavailable}, got.code(), got.Text)
	w.Do("SET llm@org:{acme}:release text")
	got = w.post("/reserve", `{"rule": "llm", "keys": ["acme", "ann"], "quantity": 5, "id": "a", "ttl": 60, "release": true}`)
	require.Equal(t, []any{409, wrongType}, got.code(), got.Text)
}
