package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cellserver/commands"
	_ "cellserver/commands/all"
	"cellserver/httpapi/line"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// web is a server with the API, without sockets. Its clock stands still until a test moves it.
type web struct {
	*servertest.Harness
	t   testing.TB
	api *API
	Config
}

func newWeb(t testing.TB, directives ...string) *web {
	return newWebOn(t, servertest.New(t, directives...), nil)
}

func newWebOn(t testing.TB, h *servertest.Harness, barrier line.Barrier) *web {
	w := &web{Harness: h, t: t, Config: Config{Trust: Trust{Proxies: 1}}}
	w.At(1_800_000_000_000_000_000)
	lines := line.New(2, barrier, func(p commands.Peer) line.Handler {
		c := w.Server.Connect(p)
		c.Become(w.Server.Users().Default, "http")
		return c
	})
	t.Cleanup(lines.Close)
	w.api = &API{Commands: lines, Guesses: w.Server.Logins(), Config: func() Config { return w.Config }}
	return w
}

// reply is a reply of the API. Its body is decoded.
type reply struct {
	Status int
	Header http.Header
	Text   string
	Body   map[string]any
}

// send sends a request with headers, which alternate: name, value.
func (w *web) send(method, target, body string, headers ...string) reply {
	w.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:7380"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	return w.serve(r)
}

func (w *web) serve(r *http.Request) (got reply) {
	w.t.Helper()
	out := httptest.NewRecorder()
	w.api.ServeHTTP(out, r)
	result := out.Result()
	text, err := io.ReadAll(result.Body)
	require.NoError(w.t, err)
	got = reply{Status: result.StatusCode, Header: result.Header, Text: string(text)}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	require.NoError(w.t, in.Decode(&got.Body), "%s", text)
	w.t.Helper()
	conforms(w.t, r, &got)
	return got
}

func (w *web) get(target string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodGet, target, "", headers...)
}

// post sends JSON.
func (w *web) post(target, body string) reply {
	w.t.Helper()
	return w.send(http.MethodPost, target, body, "Content-Type", "application/json")
}

// fields returns headers of a reply by name, whatever the case of their letters; "" for none.
func (r reply) fields(names ...string) (values []string) {
	for _, name := range names {
		found := ""
		for header, all := range r.Header {
			if strings.EqualFold(header, name) {
				found = strings.Join(all, " AND ")
			}
		}
		values = append(values, found)
	}
	return values
}

// code returns the status and the code of a problem.
func (r reply) code() []any { return []any{r.Status, r.Body["code"]} }
