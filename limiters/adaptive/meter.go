package adaptive

import (
	"math"

	"cellserver/internal/exact"
)

// Meter counts the window of a limit while it is open. Each node keeps its own, so a window is gone with its
// node. The limit is not: it is in the state.
type Meter struct {
	Options
	End     int64 // of the window, Unix ns; 0 in a meter that has not begun
	Sum     int64 // ns
	Samples int32
	Drops   int32
	Refused int32
	Busiest int32
	Lease   int64 // ns; of the last permit
	Last    int64 // the mean latency of the last window that counted, in ns
	Limit   int32 // the limit and the calls under way after the last request
	Calls   int32
	Denied  int64 // callers refused in all windows
}

// Place is where a table keeps the meter of a key.
type Place struct {
	Number int
	Kept   *Meter // nil if the table has no meter of the key
}

// Result says what the end of a window did to the limit.
type Result uint8

// The results.
const (
	Open   Result = iota // the window has not ended
	Short                // too few samples
	Held                 // the limit stays
	Grew                 // the limit is larger
	Fell                 // the limit is smaller
	Slower               // the limit is larger because the service has become slower
)

// Results has the names of the results.
var Results = [...]string{Short: "short", Held: "held", Grew: "grew", Fell: "fell", Slower: "slower"}

// Ended is a window that has ended.
type Ended struct {
	Result
	At             int64 // Unix ns
	Before, Limit  int64 // the limit before and after
	Base, Latency  int64 // ns; the latency is 0 if there were too few samples
	Busiest        int64
	Drops, Refused int64
}

// Restart opens a window.
func (m *Meter) Restart(now int64) {
	m.End = exact.Plus(now, m.Window)
	m.Sum, m.Samples, m.Drops, m.Refused, m.Busiest = 0, 0, 0, 0, 0
}

// Arrive takes the options of a caller that arrives, and ends the window as Close. Another length counts from
// the next window on.
func (m *Meter) Arrive(s *State, o *Options, now int64, ended *Ended) {
	if m.End == 0 || m.Window == 0 && o.Window != 0 {
		m.Options = *o
		m.Restart(now)
		return
	}
	length := m.Window
	m.Options = *o
	m.Window = length
	if m.Close(s, now, false, ended); ended.Result != Open {
		m.Window = o.Window
		m.End = exact.Plus(now, o.Window)
	}
}

// See notes a limit, and how many calls are under way.
func (m *Meter) See(limit, calls int64) {
	m.Limit, m.Calls = int32(limit), int32(min(calls, math.MaxInt32))
	m.Busiest = max(m.Busiest, m.Calls)
}

// Sample counts a call that has ended.
func (m *Meter) Sample(latency int64, dropped bool) {
	if m.Samples == math.MaxInt32 {
		return
	}
	m.Samples++
	m.Sum = exact.Plus(m.Sum, min(max(latency, 0), LongestLatency))
	if dropped {
		m.Drops++
	}
}

// Refuse counts a caller that the limit turned away.
func (m *Meter) Refuse() {
	m.Refused += int32(1 - m.Refused/math.MaxInt32)
	m.Denied++
}

// Ends reports whether the window ends now. `sampled` is as for Close.
func (m *Meter) Ends(now int64, sampled bool) bool { return now >= m.End && (m.Window > 0 || sampled) }

// Close ends the window if its time has come: it sets `ended` and changes the state. `sampled` says that a
// call has ended now, which alone ends a window of one sample.
func (m *Meter) Close(s *State, now int64, sampled bool, ended *Ended) {
	if !m.Ends(now, sampled) {
		return
	}
	w, before := m.window(now), *s
	*ended = Ended{
		Result: Short, At: now, Before: s.Limit(), Busiest: w.Busiest, Drops: w.Drops, Refused: w.Refused,
	}
	if w.Samples >= m.LeastSamples() {
		*s = m.Next(*s, w)
		m.Last = w.MeanLatency()
		ended.Result, ended.Latency = resultOf(&before, s), m.Last
	}
	ended.Limit, ended.Base = s.Limit(), s.Base()
	m.Restart(now)
}

// window returns the window that ends now. If nobody has called for another window since its end, it counts
// as long as it should have been.
func (m *Meter) window(now int64) Window {
	length := m.Window
	if since := now - m.End; since < m.Window {
		length += since
	}
	return Window{
		Samples: int64(m.Samples), Sum: m.Sum, Busiest: int64(m.Busiest), Drops: int64(m.Drops),
		Refused: int64(m.Refused), Length: max(length, 1),
	}
}

// resultOf compares two states.
func resultOf(before, after *State) Result {
	switch {
	case after.Size < before.Size:
		return Fell
	case after.Size == before.Size:
		return Held
	case after.Algorithm == Gradient && before.Memory[base] != 0 && after.Memory[base] > before.Memory[base]:
		return Slower
	}
	return Grew
}

// Gradient returns, in thousandths, how much of the last latency was not waiting, as the algorithm saw it.
func (m *Meter) Gradient(s *State) int64 {
	percent := int64(100)
	switch s.Algorithm {
	case Gradient:
		percent = int64(m.Tolerance)
	case Gradient2:
		percent = 150
	}
	if m.Last == 0 || s.Base() == 0 {
		return 1000
	}
	return min(mulDiv(s.Base(), percent*10, m.Last), 1000)
}
