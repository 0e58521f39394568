package tests

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/porttest"
	"cellserver/internal/quote"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A request is a line of an http block: "> GET /path", "> POST /path {JSON}", or "redis> COMMAND". Replies follow a request over
// HTTP: the status, the headers that say something about limits, and the body.
//
// All http blocks of a page go to one server in their order, as a reader sends them. So no example changes the reply of
// a later one.
var (
	webPrompt  = regexp.MustCompile(`^> (GET|POST|PUT|DELETE) (\S+)(?: (\{.*\}))?$`)
	limitField = regexp.MustCompile(`(?i)^(ratelimit|x-ratelimit|retry-after)`)
)

// A web is the server of the http blocks of a page.
type web struct {
	*resptest.Client
	url string
}

// startWeb starts the server of the http blocks of a page.
func startWeb(t *testing.T) *web {
	t.Helper()
	port := strconv.Itoa(porttest.Free(t))
	w := &web{url: "http://127.0.0.1:" + port}
	w.Client = resptest.Dial(t, startServer(t, "--dir", t.TempDir(), "--http-port", port, "--http-page", "write"))
	setClock(t, w.Client, exampleTime)
	return w
}

// playWeb runs an http block.
func (p *document) playWeb(t *testing.T, b block) {
	t.Helper()
	if p.web == nil {
		p.web = startWeb(t)
	}
	requests := 0
	for i := b.from; i < b.to; {
		at := i
		for i++; i < b.to && !strings.HasPrefix(p.lines[i], "> ") && !strings.HasPrefix(p.lines[i], "redis> "); i++ {
		}
		if command, ok := strings.CutPrefix(p.lines[at], "redis> "); ok {
			words, err := quote.Split(command)
			require.NoError(t, err)
			args := make([]any, len(words))
			for j, w := range words {
				args[j] = w
			}
			require.Equal(t, resptest.Simple("OK"), p.web.Do(args...), command)
			continue
		}
		m := webPrompt.FindStringSubmatch(p.lines[at])
		require.NotNil(t, m, "%s:%d: this is no request", p.path, at+1)
		requests++
		shown, got := p.lines[at+1:i], webReply(t, m[1], p.web.url+m[2], m[3])
		if slices.Equal(shown, got) {
			continue
		}
		if *update {
			p.edits = append(p.edits, edit{at + 1, i, got})
			continue
		}
		t.Errorf("%s:%d: %s\nshown:\n%s\nreplied:\n%s", p.path, at+1, p.lines[at], strings.Join(shown, "\n"), strings.Join(got, "\n"))
	}
	require.NotZero(t, requests, "%s:%d: no request", p.path, b.from)
}

// webReply returns the lines of a reply.
func webReply(t *testing.T, method, target, body string) []string {
	t.Helper()
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	reply, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	var fields []string
	for name, values := range reply.Header {
		if limitField.MatchString(name) {
			name = strings.NewReplacer("Ratelimit", "RateLimit").Replace(name)
			fields = append(fields, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(fields)
	return slices.Concat([]string{reply.Status}, fields, []string{strings.TrimRight(string(text), "\n")})
}
