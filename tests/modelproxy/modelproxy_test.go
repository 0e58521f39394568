package modelproxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// each runs a test with each proxy.
func each(t *testing.T, test func(s *site)) {
	for name, proxy := range map[string][]string{"go": {goProxy}, "python": {"python3", "proxy.py"}, "node": {"node", "proxy.mjs"}} {
		t.Run(name, func(t *testing.T) { test(newSite(t, proxy...)) })
	}
}

// call is the body of a call.
func call(message string, most int, more string) string {
	return fmt.Sprintf(`{"model": "stub", "max_tokens": %d, "messages": [{"role": "user", "content": %q}]%s}`, most, message, more)
}

// code returns the status and the code of an error.
func code(t testing.TB, answer *http.Response) (int, string) {
	var body struct {
		Error struct{ Code, Message string }
	}
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &body), "%s", text)
	return answer.StatusCode, body.Error.Code
}

// TestCosts: the real cost of each call counts in all budgets, and a call that fails costs nothing.
func TestCosts(t *testing.T) {
	each(t, func(s *site) {
		answer := s.post("sk-ann", call("cost 120", 900, ""))
		text, err := io.ReadAll(answer.Body)
		require.NoError(s.t, err)
		require.Equal(s.t, 200, answer.StatusCode)
		require.Contains(s.t, string(text), `"total_tokens": 120`)
		require.NotEmpty(s.t, answer.Header.Get("RateLimit"))
		s.uses(120, 120, 120, "acme", "search", "ann")
		s.post("sk-bob", call("cost 30", 900, ""))
		s.uses(150, 150, 30, "acme", "search", "bob")
		require.Equal(s.t, 500, s.post("sk-eve", call("fail", 900, "")).StatusCode)
		s.uses(150, 0, 0, "acme", "ads", "eve")
		for key, body := range map[string]string{"sk-mallory": call("cost 1", 1, ""), "sk-ann": "[", "": call("cost 1", 1, "")} {
			status, _ := code(s.t, s.post(key, body))
			require.Contains(s.t, []int{400, 401}, status)
		}
		require.Equal(s.t, int64(3), s.calls.Load())
		s.uses(150, 150, 120, "acme", "search", "ann")
	})
}

// TestRefusals: a refused call does not reach the model, and Retry-After is what the budget says.
func TestRefusals(t *testing.T) {
	each(t, func(s *site) {
		s.do("CL.CHECK", "llm", "acme", "search", "ann", 19500)
		answer := s.post("sk-ann", call("cost 1", 600, ""))
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		require.NoError(s.t, err)
		status, reason := code(s.t, answer)
		require.Equal(s.t, []any{429, "rate_limit_exceeded"}, []any{status, reason})
		left := s.do("CL.CHECK", "llm", "acme", "search", "ann", 600).([]any)[3].(int64)
		require.InDelta(s.t, left, wait, 60)
		require.Greater(s.t, left, int64(3000))

		answer = s.post("sk-eve", call("cost 1", 30000, ""))
		require.Empty(s.t, answer.Header.Get("Retry-After"))
		status, reason = code(s.t, answer)
		require.Equal(s.t, []any{429, "request_too_large"}, []any{status, reason})

		s.do("CL.CHECK", "llm", "acme", "search", "others", 20000) // the team has 10,500 left
		status, _ = code(s.t, s.post("sk-bob", call("cost 1", 11000, "")))
		require.Equal(s.t, 429, status)
		require.Zero(s.t, s.calls.Load())
		s.uses(39500, 39500, 0, "acme", "search", "bob")
	})
}

// TestStreams: a streamed answer arrives piece by piece, and its last piece says the cost. If the client hangs up, the cost counts
// all the same.
func TestStreams(t *testing.T) {
	each(t, func(s *site) {
		answer := s.post("sk-ann", call("cost 77", 900, `, "stream": true`))
		require.Equal(s.t, "text/event-stream", answer.Header.Get("Content-Type"))
		in := bufio.NewReader(answer.Body)
		line, err := in.ReadString('\n')
		require.NoError(s.t, err)
		require.Contains(s.t, line, `"content": "0"`)
		require.Greater(s.t, s.used("acme", "search", "ann")[0], int64(900), "the estimate counts meanwhile")
		s.goesOn <- struct{}{}
		rest, err := io.ReadAll(in)
		require.NoError(s.t, err)
		require.Equal(s.t, 99, strings.Count(string(rest), "delta"))
		require.Contains(s.t, string(rest), "data: [DONE]")
		s.uses(77, 77, 77, "acme", "search", "ann")

		answer = s.post("sk-ann", call("cost 23", 900, `, "stream": true`))
		_, err = bufio.NewReader(answer.Body).ReadString('\n')
		require.NoError(s.t, err)
		answer.Body.Close() // the client hangs up
		s.goesOn <- struct{}{}
		s.uses(100, 100, 100, "acme", "search", "ann")
	})
}

// TestLostReplies: cellserver has counted, and its reply is lost. The proxy repeats its request with the same id, and each call
// counts once.
func TestLostReplies(t *testing.T) {
	each(t, func(s *site) {
		s.loses.Store(true)
		for range 5 {
			require.Equal(s.t, 200, s.post("sk-ann", call("cost 11", 900, "")).StatusCode)
		}
		s.uses(55, 55, 55, "acme", "search", "ann")
		require.GreaterOrEqual(s.t, s.lost.Load(), int64(5))
		require.Equal(s.t, int64(5), s.calls.Load())
	})
}

// TestNoDecision: without cellserver nobody calls the model.
func TestNoDecision(t *testing.T) {
	each(t, func(s *site) {
		s.limits.Stop(syscall.SIGKILL)
		answer := s.post("sk-ann", call("cost 11", 900, ""))
		require.Equal(s.t, "1", answer.Header.Get("Retry-After"))
		status, reason := code(s.t, answer)
		require.Equal(s.t, []any{503, "unavailable"}, []any{status, reason})
		require.Zero(s.t, s.calls.Load())
	})
}
