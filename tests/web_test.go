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
var (
	webPrompt  = regexp.MustCompile(`^> (GET|POST) (\S+)(?: (\{.*\}))?$`)
	limitField = regexp.MustCompile(`(?i)^(ratelimit|x-ratelimit|retry-after)`)
)

// playWeb runs an http block on a server of its own.
func (p *document) playWeb(t *testing.T, b block) {
	t.Helper()
	port := strconv.Itoa(porttest.Free(t))
	c := resptest.Dial(t, startServer(t, "--dir", t.TempDir(), "--http-port", port))
	setClock(t, c, exampleTime)
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
			require.Equal(t, resptest.Simple("OK"), c.Do(args...), command)
			continue
		}
		m := webPrompt.FindStringSubmatch(p.lines[at])
		require.NotNil(t, m, "%s:%d: this is no request", p.path, at+1)
		requests++
		shown, got := p.lines[at+1:i], webReply(t, m[1], "http://127.0.0.1:"+port+m[2], m[3])
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
