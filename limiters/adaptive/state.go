package adaptive

import (
	"math"

	"cellserver/internal/exact"
)

// One is a limit of one call.
const One = 1 << 16

// State is what an algorithm remembers from window to window. Memory has its own numbers, which its file
// names.
type State struct {
	Algorithm
	Size   int64 // the limit in 1/65,536
	Memory [5]int64
}

// base is the index of the latency of a service without a queue in the memory of all algorithms but AIMD.
// It is in ns, of GRADIENT2 in 1/1,024 ns.
const base = 0

// Begin returns the state of a limit that has seen nothing.
func (o *Options) Begin() State {
	return State{Algorithm: o.Algorithm, Size: o.clamp(int64(o.Start) * One)}
}

// Limit returns how many calls may be under way.
func (s *State) Limit() int64 { return max(1, s.Size/One) }

// Base returns the latency of the service without a queue in ns, 0 if the algorithm does not know it.
func (s *State) Base() int64 {
	switch s.Algorithm {
	case AIMD:
		return 0
	case Gradient2:
		return s.Memory[base] / longUnit
	}
	return s.Memory[base]
}

// Valid reports whether an algorithm can have left this state.
func (s *State) Valid() bool {
	if s.Algorithm >= Algorithms || s.Size < One || s.Size > MostLimit*One {
		return false
	}
	for i, n := range s.Memory {
		if n < 0 || n > algorithms[s.Algorithm].most[i] {
			return false
		}
	}
	return true
}

// Next returns the state after a window with samples. Another algorithm keeps the limit and forgets the rest.
func (o *Options) Next(s State, w Window) State {
	if s.Algorithm != o.Algorithm {
		s = State{Algorithm: o.Algorithm, Size: s.Size}
	}
	w.Samples = max(w.Samples, 1)
	w.Drops, w.Busiest = min(max(w.Drops, 0), w.Samples), min(max(w.Busiest, 0), math.MaxInt32)
	algorithms[o.Algorithm].next(&s, &w, o)
	s.Size = o.clamp(s.Size)
	return s
}

// clamp returns the nearest limit within the bounds.
func (o *Options) clamp(size int64) int64 {
	return min(max(size, int64(o.Least)*One), int64(o.Most)*One)
}

// mulDiv returns a*b/c for a, b >= 0 and c > 0, the largest int64 if it does not fit.
func mulDiv(a, b, c int64) int64 {
	q, _, ok := exact.MulDiv(a, b, c)
	if !ok {
		return math.MaxInt64
	}
	return q
}
