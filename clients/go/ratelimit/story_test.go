package ratelimit

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A step is one step of ../../story.json, which the packages of all languages run.
type step struct {
	About    string
	Run      []any
	Reply    any
	Advance  int64 // milliseconds
	Ask      [][2]string
	Quantity *int64 // 1 without it
	Status   int
	Policy   *string `json:"RateLimit-Policy"`
	Limit    *string `json:"RateLimit"`
	Retry    *string `json:"Retry-After"`
	Violated []string
}

// play plays the story. serve answers the requests, with nil where the story does not say the answer.
func play(t *testing.T, s *server, serve func(questions [][2]string, quantity *int64) *http.Response) {
	text, err := os.ReadFile("../../story.json")
	require.NoError(t, err)
	var steps []step
	require.NoError(t, json.Unmarshal(text, &steps))
	about, asked := "", 0
	for _, step := range steps {
		switch {
		case step.About != "":
			about = step.About
		case step.Run != nil:
			require.Equal(t, step.Reply, s.do(step.Run...))
		case step.Advance != 0:
			s.do("DEBUG", "CLOCK", "ADVANCE", step.Advance*1_000_000)
		default:
			asked++
			if got := serve(step.Ask, step.Quantity); got != nil {
				step.check(t, about, got)
			}
		}
	}
	require.Greater(t, asked, 30)
}

func (step *step) check(t *testing.T, about string, got *http.Response) {
	t.Helper()
	require.Equal(t, step.Status, got.StatusCode, about)
	for name, want := range map[string]*string{"RateLimit-Policy": step.Policy, "RateLimit": step.Limit, "Retry-After": step.Retry} {
		if want == nil {
			require.Empty(t, got.Header.Values(name), about)
		} else {
			require.Equal(t, []string{*want}, got.Header.Values(name), about)
		}
	}
	if step.Status != http.StatusTooManyRequests {
		return
	}
	require.Equal(t, "application/problem+json", got.Header.Get("Content-Type"))
	var body problem
	require.NoError(t, json.NewDecoder(got.Body).Decode(&body))
	require.Equal(t, problem{quotaExceeded, "The quota is used up", 429, step.Violated}, body, about)
}

func TestStory(t *testing.T) {
	s := start(t)
	l := s.limiter(Options{Denials: -1})
	play(t, s, func(questions [][2]string, quantity *int64) *http.Response {
		rules := make([]Rule, len(questions))
		for i, q := range questions {
			rules[i] = fixed(q[0], q[1])
		}
		if quantity == nil {
			return visit(l.Handler(page, rules...))
		}
		return visit(l.HandlerWithCost(page, func(*http.Request) int64 { return *quantity }, rules...))
	})
}

// TestStoryOverHTTP shows that the server itself answers over HTTP as the middleware does. But an empty key is no key there.
func TestStoryOverHTTP(t *testing.T) {
	s := start(t)
	play(t, s, func(questions [][2]string, quantity *int64) *http.Response {
		type pair struct {
			Rule string `json:"rule"`
			Key  string `json:"key"`
		}
		var body struct {
			Rules    []pair `json:"rules"`
			Quantity *int64 `json:"quantity,omitempty"`
		}
		body.Quantity = quantity
		for _, q := range questions {
			body.Rules = append(body.Rules, pair{q[0], q[1]})
		}
		text, err := json.Marshal(body)
		require.NoError(t, err)
		reply, err := http.Post(s.Web+"/check", "application/json", bytes.NewReader(text))
		require.NoError(t, err)
		t.Cleanup(func() { _ = reply.Body.Close() })
		if slices.ContainsFunc(questions, func(q [2]string) bool { return q[1] == "" }) {
			require.Equal(t, http.StatusBadRequest, reply.StatusCode)
			return nil
		}
		return reply
	})
}

var page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })

// visit requests a page.
func visit(h http.Handler) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Result()
}

// infoLine returns the rest of a line of INFO.
func infoLine(info, prefix string) string {
	_, rest, _ := strings.Cut(info, prefix)
	line, _, _ := strings.Cut(rest, "\r\n")
	return line
}
