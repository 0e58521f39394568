// Package ratelimit is HTTP middleware that asks a rule of cellserver. Copy it into a
// service.
package ratelimit

import (
	"net/http"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Limit passes a request to next if the rule allows its key, and otherwise answers 429 Too
// Many Requests. X-RateLimit-Limit, -Remaining and -Reset describe the limit. Retry-After is
// the number of seconds to wait; the header is missing if no wait helps.
//
// If the limiter does not answer, requests pass, so that it cannot stop the service.
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
