package stats

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/server/logins"
	"cellserver/server/meters"
)

// Stats are all counters of a server.
type Stats struct {
	Commands *Commands
	Limited  *Limited
	Meters   *meters.Table
	Totals   Totals
	Errors   Errors
	Rates    Rates
	Logins   *logins.Logins
}

// Init allocates the counters. All commands must be registered before.
func (s *Stats) Init() {
	s.Commands = &Commands{all: make([]Counters, commands.Count())}
	s.Limited = &Limited{seed: maphash.MakeSeed()}
	s.Meters = meters.New()
}

// Totals are counters of the whole server since its start.
type Totals struct {
	Connections atomic.Int64 // accepted
	Rejected    atomic.Int64 // refused because of maxclients
	Panics      atomic.Int64
	peak        atomic.Int64 // largest number of bytes that Peak got
}

// Reset is CONFIG RESETSTAT. It keeps Panics and the peak.
func (t *Totals) Reset() {
	t.Connections.Store(0)
	t.Rejected.Store(0)
}

// Peak takes the number of bytes that the store uses, and returns the largest number so far.
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

// Errors counts error replies by their code: at most [maxCodes] of them. The zero Errors is empty.
type Errors struct {
	mu     sync.Mutex // guards byCode
	byCode map[string]int64
}

// maxCode is the largest length in bytes of a code with the space after it. An error with a longer
// first word, or without a space, counts as ERR.
const maxCode = 32

// maxCodes is the largest number of codes. An error with one more code counts as ERR.
const maxCodes = 128

// Add counts an error reply. text starts with the code.
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
	if _, known := e.byCode[code]; !known {
		if len(e.byCode) >= maxCodes {
			code = "ERR"
		}
		code = strings.Clone(code) // a part of text would keep all of text in memory
	}
	e.byCode[code]++
}

// Reset removes all counts.
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
