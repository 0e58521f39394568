package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// dumps returns all keys with their values.
func dumps(c *servertest.Client) map[any]any {
	all := map[any]any{}
	for _, key := range c.Do("KEYS *").([]any) {
		all[key] = c.Do("DUMP", key)
	}
	return all
}

// TestRightsToEachKey: the user of the requests must have the key of each scope, in every request that names
// keys.
func TestRightsToEachKey(t *testing.T) {
	w := newWeb(t)
	owner := w.NewClient(t)
	owner.Want("ACL SETUSER owner on nopass ~* &* +@all", servertest.OK)
	owner.Want("AUTH owner x", servertest.OK)
	w.Do("CL.RULE SET one CL.WINDOW 100 60")
	w.Do("CL.RULE SET two SCOPE org CL.WINDOW 100 60 AND SCOPE user CL.LOG 100 60")
	owner.Want("ACL SETUSER default resetkeys ~a:* ~cl.rules", servertest.OK)
	const window = `{"limiter": "window", "key": %q, "limit": 5, "period": 60}`
	for i, keys := range [][]string{{"a:1", "a:2"}, {"b:1", "a:2"}, {"a:1", "b:2"}} {
		right := map[bool]string{true: "200", false: "403"}[i == 0]
		firstIs := map[bool]string{true: "200", false: "403"}[keys[0] == "a:1"]
		for _, c := range []struct{ want, method, target, body string }{
			{firstIs, http.MethodGet, "/check/one?key=" + keys[0], ""},
			{firstIs, http.MethodGet, "/explain/one?key=" + keys[0], ""},
			{firstIs, http.MethodPost, "/throttle", fmt.Sprintf(window, keys[0])},
			{right, http.MethodGet, "/check/two?key=" + strings.Join(keys, "&rule=two&key="), ""},
			{right, http.MethodGet, "/check/one?key=" + strings.Join(keys, "&rule=one&key="), ""},
			{right, http.MethodPost, "/check/one?key=" + strings.Join(keys, "&rule=one&key="), ""},
			{right, http.MethodGet, "/forward/rule=one&key=" + keys[0] + "&rule=one&key=" + keys[1], ""},
			{right, http.MethodGet, "/explain/two?key=" + strings.Join(keys, "&key="), ""},
			{right, http.MethodPost, "/reserve", fmt.Sprintf(`{"rule": "two", "keys": [%q, %q], "quantity": 5, "id": "i", "ttl": 60}`, keys[0], keys[1])},
			{right, http.MethodPost, "/settle", fmt.Sprintf(`{"rule": "two", "keys": [%q, %q], "quantity": 6, "id": "i"}`, keys[0], keys[1])},
		} {
			before := dumps(owner)
			var headers []string
			if c.body != "" {
				headers = []string{"Content-Type", "application/json"}
			}
			got := w.send(c.method, c.target, c.body, headers...)
			require.Equal(t, c.want, fmt.Sprint(got.Status), "%s %s: %s", c.target, c.body, got.Text)
			if c.want != "200" {
				require.Equal(t, before, dumps(owner), c.target)
			}
		}
	}
	owner.Want("KEYS *b:*", []any{})
}
