package ratelimit

import (
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSmallerQuantity shows that a remembered refusal refuses its quantity and larger ones, and asks for smaller ones.
func TestSmallerQuantity(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "tokens", "CL.WINDOW", 100, 3600)
	for i, step := range []struct {
		quantity, left, asked int64
	}{
		{60, 40, 1},
		{60, -1, 1},
		{60, -1, 0}, // remembered
		{99, -1, 0},
		{1, 39, 1}, // a smaller quantity may be allowed
		{60, -1, 0},
		{50, -1, 1}, // and if not, its refusal counts from now on
		{50, -1, 0},
		{60, -1, 0},
		{49, -1, 1},
		{39, 0, 1},
		{1, -1, 1},
		{2, -1, 0},
		{math.MaxInt64, -1, 0},
		{0, 0, 1},
	} {
		before := int64(s.questions())
		d, err := l.AskFor(t.Context(), step.quantity, Question{"tokens", "ann"})
		require.NoError(t, err)
		require.Equal(t, step.left >= 0, d.Allowed, i)
		require.Equal(t, step.asked, int64(s.questions())-before, i)
		if d.Allowed {
			require.Equal(t, `"tokens";r=`+strconv.FormatInt(step.left, 10)+`;t=3600`, d.Limit, i)
		}
	}
	*now = now.Add(time.Second)
	before := s.questions()
	for range 10 {
		d, err := l.AskFor(t.Context(), 70, Question{"tokens", "ann"})
		require.NoError(t, err)
		require.False(t, d.Allowed)
	}
	require.Equal(t, 1, s.questions()-before)
}

// TestHotKeyWithCosts sends requests of a refused key with many costs. The server still gets few of them.
func TestHotKeyWithCosts(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "tokens", "CL.WINDOW", 1, 3600)
	var quantity int64
	h := l.HandlerWithCost(page, func(*http.Request) int64 { return quantity }, fixed("tokens", "ann"))
	quantity = 1
	require.Equal(t, 200, visit(h).StatusCode)
	before := s.questions()
	for i := range 10_000 {
		quantity = 1 + int64(i*7919)%1000 // each cost from 1 to 1000, ten times
		require.Equal(t, 429, visit(h).StatusCode)
		*now = now.Add(time.Millisecond)
	}
	require.LessOrEqual(t, s.questions()-before, 100)
}

func TestNegativeQuantity(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.THROTTLE", 2, 1, 10)
	var failures []error
	l := s.limiter(Options{OnError: func(err error) { failures = append(failures, err) }})
	h := l.HandlerWithCost(page, func(*http.Request) int64 { return -5 }, fixed("api", "ann"))
	reply := visit(h)
	require.Equal(t, 500, reply.StatusCode)
	require.Equal(t, []error{ErrQuantity}, failures)
	require.Zero(t, s.questions())
}

// TestWrongOptions shows that a mistake of the service is an error, and no reason to let all requests pass.
func TestWrongOptions(t *testing.T) {
	_, err := New(nil, Options{})
	require.EqualError(t, err, "ratelimit: the client is nil")
	for _, options := range []Options{{Timeout: -1}, {Denials: -2}} {
		_, err := Dial("redis://127.0.0.1:1", options)
		require.ErrorContains(t, err, ", not -")
	}
	var failures []error
	l, err := Dial("redis://127.0.0.1:1", Options{OnError: func(err error) { failures = append(failures, err) }})
	require.NoError(t, err)
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, rules := range [][]Rule{nil, {{Name: "api"}, {}}} {
		require.Equal(t, 500, visit(l.Handler(page, rules...)).StatusCode)
	}
	require.Equal(t, []error{ErrRule, ErrRule}, failures)
}
