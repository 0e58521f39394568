package ratelimit_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"
	"cellserver/clients/go/ratelimit"

	"github.com/stretchr/testify/require"
)

// TestExample is the test of ../README.md.
func TestExample(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	defer rdb.Close()
	do := func(args ...any) { require.NoError(t, rdb.Do(t.Context(), args...).Err()) }
	page := http.NotFoundHandler()
	byUser := func(r *http.Request) string { return r.Header.Get("X-User") }

	do("DEBUG", "CLOCK", "SET", "1800000000000000000")           // the clock stands still
	do("CL.RULE", "SET", "login", "CL.THROTTLE", "2", "1", "10") // three at once, then one every 10 seconds
	limiter, err := ratelimit.New(rdb, ratelimit.Options{Denials: -1, Timeout: time.Minute})
	require.NoError(t, err)
	service := limiter.Handler(page, ratelimit.Rule{Name: "login", Key: byUser})
	for _, status := range []int{404, 404, 404, 429} {
		require.Equal(t, status, visit(service))
	}
	do("DEBUG", "CLOCK", "ADVANCE", "10000000000")
	require.Equal(t, 404, visit(service))
}

func visit(service http.Handler) (status int) {
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Code
}

// limitedByToken is the service behind a proxy of ../README.md.
func limitedByToken(limiter *ratelimit.Limiter, service http.Handler, secret string) (http.Handler, error) {
	keys := ratelimit.Keys{Proxies: "10.0.0.0/8", Secret: secret} // or the number of proxies: "1"
	perToken, err := keys.Of("header:Authorization")
	if err != nil {
		return nil, err
	}
	return limiter.Handler(service, ratelimit.Rule{Name: "api", Key: perToken}), nil
}

// TestExampleOfToken: each token has a limit of its own, and its key does not show it.
func TestExampleOfToken(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	defer rdb.Close()
	require.NoError(t, rdb.Do(t.Context(), "CL.RULE", "SET", "api", "CL.WINDOW", "1", "60").Err())
	limiter, err := ratelimit.New(rdb, ratelimit.Options{Denials: -1, Timeout: time.Minute})
	require.NoError(t, err)
	service, err := limitedByToken(limiter, http.NotFoundHandler(), "s")
	require.NoError(t, err)
	statuses := map[string][]int{}
	for _, token := range []string{"Bearer sk-secret123", "bearer  sk-secret123", "Bearer other"} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", token)
		service.ServeHTTP(w, r)
		statuses[token] = append(statuses[token], w.Code)
	}
	require.Equal(t, map[string][]int{"Bearer sk-secret123": {404}, "bearer  sk-secret123": {429}, "Bearer other": {404}}, statuses)
	require.EqualValues(t, 1, rdb.Exists(t.Context(), "api:{hmac:606592c9b1e6d428c9a5e9be1d1bfacd}:window").Val())
}

// limited is the service of ../README.md.
func limited(limiter *ratelimit.Limiter, service http.Handler) http.Handler {
	return limiter.Handler(service,
		ratelimit.Rule{Name: "per-ip"},
		ratelimit.Rule{Name: "login", Key: func(r *http.Request) string { return r.Header.Get("X-User") }},
	)
}

// limitedByCost is a service with a cost of ../README.md.
func limitedByCost(limiter *ratelimit.Limiter, service http.Handler) http.Handler {
	kilobytes := func(r *http.Request) int64 { return 1 + max(r.ContentLength, 0)/1024 }
	return limiter.HandlerWithCost(service, kilobytes, ratelimit.Rule{Name: "upload"})
}

// TestCost sends a body of 2 kB, and then none.
func TestCost(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	defer rdb.Close()
	require.NoError(t, rdb.Do(t.Context(), "CL.RULE", "SET", "upload", "CL.WINDOW", 4, 3600).Err())
	limiter, err := ratelimit.New(rdb, ratelimit.Options{Timeout: time.Minute})
	require.NoError(t, err)
	service := limitedByCost(limiter, http.NotFoundHandler())
	for _, step := range []struct{ kB, status int }{{2, 404}, {2, 429}, {0, 404}, {0, 429}} {
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", step.kB*1024))))
		require.Equal(t, step.status, w.Code)
	}
}

// TestService lets the service start without a server: it fails open.
func TestService(t *testing.T) {
	limiter, err := ratelimit.Dial("redis://127.0.0.1:1", ratelimit.Options{})
	require.NoError(t, err)
	require.Equal(t, 404, visit(limited(limiter, http.NotFoundHandler())))
}
