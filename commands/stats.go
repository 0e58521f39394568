package commands

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"
)

// stats counts the calls of one command on one server, for INFO commandstats and
// latencystats and LATENCY HISTOGRAM.
type stats struct {
	calls    atomic.Int64
	nanos    atomic.Int64 // time spent in them
	rejected atomic.Int64 // refused before they ran
	failed   atomic.Int64 // answered with an error
	limited  atomic.Int64 // of a limiter: said no
	looked   atomic.Int64 // of a limiter: only asked how things are
	took     [durations]atomic.Int64
}

func (st *stats) reset() {
	for _, n := range []*atomic.Int64{&st.calls, &st.nanos, &st.rejected, &st.failed, &st.limited, &st.looked} {
		n.Store(0)
	}
	for i := range st.took {
		st.took[i].Store(0)
	}
}

// Durations are counted in buckets, four to each power of two from octave 0 on, which
// begins at 1024 ns, and four below it. So a percentile is at most a quarter too high.
const (
	durationOctaves = 27
	durations       = 4 * (1 + durationOctaves)
)

// durationBucket returns the bucket that counts a duration in nanoseconds.
func durationBucket(nanos int64) int {
	n := uint64(max(nanos, 0)) >> 8
	if n < 4 {
		return int(n)
	}
	octave := bits.Len64(n) - 3
	return min(4+4*octave+int(n>>octave&3), durations-1)
}

// durationBound returns the nanoseconds that end a bucket.
func durationBound(bucket int) int64 {
	if bucket < 4 {
		return int64(bucket+1) << 8
	}
	octave, quarter := (bucket-4)/4, int64(bucket%4)
	return (4 + quarter + 1) << (octave + 8)
}

// totals counts what happened to the whole server since its start, for INFO.
type totals struct {
	connections atomic.Int64 // accepted
	rejected    atomic.Int64 // refused for maxclients
	panics      atomic.Int64
	peak        atomic.Int64 // most bytes that the store was seen to use
}

func (t *totals) reset() {
	for _, n := range []*atomic.Int64{&t.connections, &t.rejected} {
		n.Store(0)
	}
}

// statsOf returns the counters of a command.
func (s *Server) statsOf(c *Command) *stats { return &s.stats[c.index] }

// commandsRun is the number of commands that were run.
func (s *Server) commandsRun() (n int64) {
	for i := range s.stats {
		n += s.stats[i].calls.Load()
	}
	return n
}

// RejectedConnection counts a connection that the edge refused for maxclients.
func (s *Server) RejectedConnection() { s.totals.rejected.Add(1) }

// resetStats is CONFIG RESETSTAT.
func (s *Server) resetStats() {
	for i := range s.stats {
		s.stats[i].reset()
	}
	s.totals.reset()
	s.top.forget()
	s.rules.resetCounts()
	s.errors.reset()
	s.rates.reset()
	usage := s.process.usage()
	s.carried.Store(&usage)
	s.Store.ResetCounters()
}

// errorCounts counts error replies by their code, for INFO errorstats.
type errorCounts struct {
	mu     sync.Mutex // guards byCode
	byCode map[string]int64
}

// longestCode is where the search for an error's code ends; without one it is ERR.
const longestCode = 32

func (e *errorCounts) add(text string) {
	code, _, ok := strings.Cut(text[:min(len(text), longestCode)], " ")
	if !ok {
		code = "ERR"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byCode == nil {
		e.byCode = map[string]int64{}
	}
	e.byCode[code]++
}

func (e *errorCounts) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.byCode = nil
}

// all returns a copy of the counts, and their sum.
func (e *errorCounts) all() (byCode map[string]int64, total int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	byCode = make(map[string]int64, len(e.byCode))
	for code, n := range e.byCode {
		byCode[code] = n
		total += n
	}
	return byCode, total
}
