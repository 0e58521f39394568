package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"cellserver/tests/clients/ratelimit"

	"github.com/redis/go-redis/v9"
)

// goRedisMiddleware checks package ratelimit: three at once, then one every 10 s.
func goRedisMiddleware(ctx context.Context, r *redis.Client) {
	if reference {
		return
	}
	must(r.Do(ctx, "DEBUG", "CLOCK", "SET", clockStart).Err())
	defer func() { _ = r.Do(ctx, "DEBUG", "CLOCK", "RESUME").Err() }()
	must(r.Do(ctx, "CL.RULE", "SET", "api", "CL.THROTTLE", 2, 1, 10).Err())
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	user := func(r *http.Request) string { return r.Header.Get("X-User") }
	served := ratelimit.Limit(r, "api", user, page)
	for i := range 3 {
		equal(fmt.Sprintf("200 page limit=3 remaining=%d reset=%d retry=", 2-i, 10*(i+1)), visit(served))
	}
	equal("429 Too Many Requests\n limit=3 remaining=0 reset=30 retry=10", visit(served))
	must(r.Do(ctx, "DEBUG", "CLOCK", "ADVANCE", 10_000_000_000).Err())
	equal("200 page limit=3 remaining=0 reset=30 retry=", visit(served))
	equal("200 page limit= remaining= reset= retry=", visit(ratelimit.Limit(r, "no such rule", user, page)))

	gone := redis.NewClient(r.Options())
	must(gone.Close())
	equal("200 page limit= remaining= reset= retry=", visit(ratelimit.Limit(gone, "api", user, page)))
}

// visit requests the page and returns the status and headers that matter.
func visit(h http.Handler) string {
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("X-User", "ann")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	header := w.Header().Get
	return fmt.Sprintf("%d %s limit=%s remaining=%s reset=%s retry=%s", w.Code, w.Body,
		header("X-RateLimit-Limit"), header("X-RateLimit-Remaining"), header("X-RateLimit-Reset"), header("Retry-After"))
}
