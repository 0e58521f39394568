package stats

import "sync"

// Measure is a total of which [Rates] computes the mean per second.
type Measure int

// The measures.
const (
	CommandsRun Measure = iota
	InputBytes
	OutputBytes
	measures
)

// rateSamples is the number of samples in a mean, as in Redis.
const rateSamples = 16

// Rates computes means per second from totals, over the last 16 samples. The zero Rates has no
// samples.
type Rates struct {
	mu      sync.Mutex // guards the rest
	begun   bool
	at      int64 // monotonic time of the last sample
	last    [measures]int64
	samples [rateSamples][measures]int64
	next    int
}

// Sample adds a sample: the totals of all measures. now is monotonic, in nanoseconds.
func (r *Rates) Sample(now int64, totals [measures]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if elapsed := now - r.at; r.begun && elapsed > 0 {
		for i, n := range totals {
			grown := max(n-r.last[i], 0) // a total may have been reset
			r.samples[r.next][i] = int64(float64(grown) * 1e9 / float64(elapsed))
		}
		r.next = (r.next + 1) % rateSamples
	}
	r.begun, r.at, r.last = true, now, totals
}

// PerSecond returns the mean of a measure per second.
func (r *Rates) PerSecond(m Measure) (mean int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.samples {
		mean += s[m]
	}
	return mean / rateSamples
}

// Reset removes all samples.
func (r *Rates) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.samples, r.next = false, [rateSamples][measures]int64{}, 0
}
