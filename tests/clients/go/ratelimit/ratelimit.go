// Package ratelimit is HTTP middleware that asks a rule of cellserver, to be copied into a
// service.
package ratelimit

import (
	"net/http"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Limit lets a request through to next if the rule has room for its key, and answers 429
// Too Many Requests if it has not. X-RateLimit-Limit, -Remaining and -Reset say how things
// stand, Retry-After how many seconds to wait; it is missing where no wait would help.
//
// When the limiter does not answer, requests pass: it must not take the service down.
func Limit(rdb redis.UniversalClient, rule string, key func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, err := rdb.Do(r.Context(), "CL.CHECK", rule, key(r)).Int64Slice()
		if err != nil || len(reply) < 5 {
			next.ServeHTTP(w, r)
			return
		}
		limited, retryAfter := reply[0] == 1, reply[3]
		for i, name := range []string{1: "X-RateLimit-Limit", 2: "X-RateLimit-Remaining", 4: "X-RateLimit-Reset"} {
			if name != "" {
				w.Header().Set(name, strconv.FormatInt(reply[i], 10))
			}
		}
		if !limited {
			next.ServeHTTP(w, r)
			return
		}
		if retryAfter >= 0 {
			w.Header().Set("Retry-After", strconv.FormatInt(retryAfter, 10))
		}
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
	})
}
