package stats

import (
	"sync"
	"time"
)

// The names of what is measured.
const (
	requestsName = "ratelimit_server.ShouldRateLimit.total_requests"
	timeName     = "ratelimit_server.ShouldRateLimit.response_time"
)

// maxSamples bounds the times that are kept for a sink until its next flush.
const maxSamples = 256

// A Timer measures requests. It gives each time to an observer, and keeps some of them for sinks.
type Timer struct {
	requests Counter

	mu      sync.Mutex // guards the fields below; nothing else is taken inside
	samples []float64  // milliseconds
	observe func(milliseconds float64)
}

// Observe counts a request that took some time.
func (t *Timer) Observe(d time.Duration) {
	t.requests.Add(1)
	ms := float64(d) / float64(time.Millisecond)
	t.mu.Lock()
	if len(t.samples) < maxSamples {
		t.samples = append(t.samples, ms)
	}
	observe := t.observe
	t.mu.Unlock()
	if observe != nil {
		observe(ms)
	}
}

// take returns the samples since the last call.
func (t *Timer) take() []float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	samples := t.samples
	t.samples = nil
	return samples
}
