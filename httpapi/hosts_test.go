package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// from sends a request with a Host to the port 7380.
func (w *web) from(host, target string) reply {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = host
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7380}
	return w.serve(r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
}

// TestHosts: a page of another site cannot ask under the name of its site. A proxy may pass on the Host of its client.
func TestHosts(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 100 60")
	for _, host := range []string{"evil.test:7380", "127.0.0.1.evil.test:7380", "localhost.evil.test:7380", "evillocalhost:7380", "box.lan:7380", ":7380"} {
		for _, target := range []string{"/check/api?key=a", "/forward/rule=api&key=a/x", "/explain/api?key=a", "/status", "/rules", "/openapi.json"} {
			require.Equal(t, []any{421, misdirected}, w.from(host, target).code(), "%s %s", host, target)
		}
	}
	require.Equal(t, int64(0), w.Do("EXISTS api:{a}:window"), "no refused request counts")
	passes := []string{"localhost:7380", "LOCALHOST:7380", "localhost.:7380", "api.localhost:7380", "127.0.0.1:7380", "127.0.0.2:7380", "[::1]:7380", "10.1.2.3:7380",
		"cellserver", "www.example.com", "www.example.com:443", "www.example.com:8080", ""}
	for _, host := range passes {
		require.Equal(t, 200, w.from(host, "/check/api?key=a").Status, host)
	}
	none := httptest.NewRequest(http.MethodGet, "/check/api?key=a", nil)
	none.Host = ""
	none = none.WithContext(context.WithValue(none.Context(), http.LocalAddrContextKey, &net.TCPAddr{Port: 80}))
	require.False(t, (&Config{}).Misdirects(none), "a request of HTTP/1.0 may have no Host")
	w.Config.Hosts = []string{"box.lan"}
	require.Equal(t, 200, w.from("Box.LAN:7380", "/check/api?key=a").Status)
	require.Equal(t, 421, w.from("other.lan:7380", "/check/api?key=a").Status)
	w.Config.Reads = true
	require.Equal(t, 200, w.from("box.lan:7380", "/rules").Status, "the page has the same names")
	require.Equal(t, 403, w.from("other.lan", "/rules").Status, "the page needs its own name, also behind a proxy")

	w.Config.Token = "t1"
	require.Equal(t, 401, w.from("evil.test:7380", "/check/api?key=a").Status)
}
