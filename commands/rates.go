package commands

import "sync"

// Tick samples what INFO shows as rates and peaks. The edge calls it about ten times a
// second.
func (s *Server) Tick() {
	usage := s.process.usage()
	s.rates.sample(s.Clock.Monotonic(), [measures]int64{s.commandsRun(), usage.Input, usage.Output})
	s.notePeak()
}

// notePeak keeps the most memory that the store used.
func (s *Server) notePeak() (used, peak int64) {
	used = s.Store.Used()
	for {
		peak = s.totals.peak.Load()
		if used <= peak {
			return used, peak
		}
		if s.totals.peak.CompareAndSwap(peak, used) {
			return used, used
		}
	}
}

// What rates measures.
const (
	rateCommands = iota
	rateInput
	rateOutput
	measures
)

// rateSamples is how many samples a rate is the mean of, as in Redis.
const rateSamples = 16

// rates turns totals into means per second over the last samples.
type rates struct {
	mu      sync.Mutex // guards everything below
	begun   bool
	at      int64 // monotonic time of the last sample
	last    [measures]int64
	samples [rateSamples][measures]int64
	next    int
}

func (r *rates) sample(now int64, totals [measures]int64) {
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

// perSecond returns the mean of one measure.
func (r *rates) perSecond(measure int) (mean int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.samples {
		mean += s[measure]
	}
	return mean / rateSamples
}

func (r *rates) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.samples, r.next = false, [rateSamples][measures]int64{}, 0
}
