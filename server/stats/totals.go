package stats

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Stats are all counters of a server.
type Stats struct {
	Commands *Commands
	Limited  *Limited
	Totals   Totals
	Errors   Errors
	Rates    Rates
}

// Init makes the counters ready. All commands are registered before.
func (s *Stats) Init() { s.Commands, s.Limited = NewCommands(), NewLimited() }

// Totals count what happened to the whole server since its start.
type Totals struct {
	Connections atomic.Int64 // accepted
	Rejected    atomic.Int64 // refused for maxclients
	Panics      atomic.Int64
	peak        atomic.Int64 // most bytes that the store was seen to use
}

// Reset is CONFIG RESETSTAT. Panics and the peak stay.
func (t *Totals) Reset() {
	t.Connections.Store(0)
	t.Rejected.Store(0)
}

// Peak notes how many bytes the store uses, and returns the most that it was seen to use.
func (t *Totals) Peak(used int64) int64 {
	for {
		peak := t.peak.Load()
		if used <= peak {
			return peak
		}
		if t.peak.CompareAndSwap(peak, used) {
			return used
		}
	}
}

// Errors counts error replies by their code. The zero Errors has none.
type Errors struct {
	mu     sync.Mutex // guards byCode
	byCode map[string]int64
}

// maxCode is where the search for an error's code ends, in bytes. An error without a code
// counts as ERR.
const maxCode = 32

// Add counts an error reply.
func (e *Errors) Add(text string) {
	code, _, ok := strings.Cut(text[:min(len(text), maxCode)], " ")
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

// Reset forgets all counts.
func (e *Errors) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.byCode = nil
}

// All returns a copy of the counts, and their sum.
func (e *Errors) All() (byCode map[string]int64, total int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	byCode = make(map[string]int64, len(e.byCode))
	for code, n := range e.byCode {
		byCode[code] = n
		total += n
	}
	return byCode, total
}
