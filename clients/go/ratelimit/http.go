package ratelimit

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// A Rule is the name of a rule and the key of a request. A name such as llm@org names a scope, too.
// A missing key is "", and all requests without a key share its limit. Without a function the key is that
// of [Address].
type Rule struct {
	Name string
	Key  func(*http.Request) string
}

// A Cost returns the quantity of a request. Without a Cost the quantity is 1.
type Cost func(*http.Request) int64

// Handler passes a request to next if all rules allow it. It answers 429 to a refused request, and 503 if the
// limiter fails closed.
func (l *Limiter) Handler(next http.Handler, rules ...Rule) http.Handler {
	return l.Middleware(rules...)(next)
}

// HandlerWithCost is [Limiter.Handler] for requests that take a quantity. It answers 500 to a request with a
// negative one.
func (l *Limiter) HandlerWithCost(next http.Handler, cost Cost, rules ...Rule) http.Handler {
	return l.MiddlewareWithCost(cost, rules...)(next)
}

// Middleware is [Limiter.Handler] in the form that routers take.
func (l *Limiter) Middleware(rules ...Rule) func(http.Handler) http.Handler {
	return l.MiddlewareWithCost(func(*http.Request) int64 { return 1 }, rules...)
}

// MiddlewareWithCost is [Limiter.HandlerWithCost] in the form that routers take.
func (l *Limiter) MiddlewareWithCost(cost Cost, rules ...Rule) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if l.AllowFor(w, r, cost(r), rules...) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// Allow asks the rules about a request, and sets the headers. It answers a refused request itself, and
// returns false. It is for frameworks that have another kind of middleware.
func (l *Limiter) Allow(w http.ResponseWriter, r *http.Request, rules ...Rule) bool {
	return l.AllowFor(w, r, 1, rules...)
}

// AllowFor is [Limiter.Allow] for a request that takes a quantity.
func (l *Limiter) AllowFor(w http.ResponseWriter, r *http.Request, quantity int64, rules ...Rule) bool {
	questions := make([]Question, len(rules))
	for i, rule := range rules {
		key := rule.Key
		if key == nil {
			key = Address
		}
		questions[i] = Question{rule.Name, key(r)}
	}
	d, err := l.AskFor(r.Context(), quantity, questions...)
	switch {
	case errors.Is(err, ErrQuantity):
		writeProblem(w, problem{"", "The request has no valid cost", http.StatusInternalServerError, nil})
	case errors.Is(err, ErrRule):
		writeProblem(w, problem{"", "The limit has no rule", http.StatusInternalServerError, nil})
	case err != nil:
		w.Header().Set("Retry-After", "1")
		writeProblem(w, problem{"", "The rate limiter does not answer", http.StatusServiceUnavailable, nil})
	default:
		d.SetHeaders(w.Header())
		if !d.Allowed {
			quota := problem{quotaExceeded, "The quota is used up", http.StatusTooManyRequests, d.Violated}
			writeProblem(w, quota)
		}
	}
	return err == nil && d.Allowed
}

// SetHeaders sets RateLimit-Policy and RateLimit, and Retry-After of a refusal that ends.
func (d Decision) SetHeaders(h http.Header) {
	if d.Policy != "" {
		h.Set("RateLimit-Policy", d.Policy)
		h.Set("RateLimit", d.Limit)
	}
	if seconds, ok := d.RetrySeconds(); ok {
		h.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
}

// A problem is an answer in the form of RFC 9457.
type problem struct {
	Type     string   `json:"type,omitempty"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Violated []string `json:"violated-policies,omitempty"`
}

// quotaExceeded is the problem type of draft-ietf-httpapi-ratelimit-headers.
const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

func writeProblem(w http.ResponseWriter, p problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client has left if this fails
}
