package adaptive

import (
	"math"
	"math/bits"
)

// The memory of GRADIENT after the base.
const (
	fromSize = 1 // the limit at which a decrease began; 0 if no decrease is under test
	fromRate = 2 // the samples in a second then
	fast     = 3 // the limit up to which growth is fast; 0 if there has been no decrease
	dropped  = 4 // 1 if the last window dropped more than one sample in 100
)

// nextGradient compares the latency of a window with the least one. While calls wait, it takes up to an
// eighth off. If the throughput falls with the limit, nothing has waited: the service is slower, and the
// base follows.
func nextGradient(s *State, w *Window, o *Options) {
	rtt, limit, m := w.MeanLatency(), s.Limit(), &s.Memory
	if m[base] == 0 || rtt < m[base] {
		m[base] = rtt
	}
	if 3*w.Busiest < 2*limit && w.Drops == 0 { // nobody needs more room
		m[fromSize], m[dropped] = 0, 0
		return
	}
	wasDropped := m[dropped] != 0
	m[dropped] = 0
	g := gradientOf(mulDiv(m[base], int64(o.Tolerance)*10, 1000), rtt)
	switch {
	case w.Drops > w.Samples/100:
		m[dropped] = 1
		if !wasDropped {
			m[fast] = s.Size / 2
		}
		s.Size -= max(s.Size/10, s.Size/2/w.Samples*w.Drops)
	case g == One:
		s.grow(w.Refused > 0)
	default:
		s.shrink(w, g)
	}
}

// grow makes room after a window in which nothing waited. full says that callers were refused.
func (s *State) grow(full bool) {
	root := int64(math.Sqrt(float64(s.Limit()))) * One // exact for numbers as small as a limit
	switch limit := s.Memory[fast]; {
	case !full:
		s.Size += max(One, root/2)
	case limit == 0:
		s.Size += s.Size / 2
	case s.Size < limit:
		s.Size = min(2*s.Size, limit)
	default:
		s.Size += max(One, root)
	}
}

// shrink takes room away, because calls waited or because the service is slower.
func (s *State) shrink(w *Window, g int64) {
	m, rate := &s.Memory, w.rate()
	if m[fast] == 0 || s.Size < m[fast] {
		m[fast] = s.Size
	}
	switch {
	case m[fromSize] == 0:
		m[fromSize], m[fromRate] = s.Size, rate
	case 4*s.Size > 3*m[fromSize]: // not far enough for the test
	case w.Refused > 0 && fellWithLimit(rate, m[fromRate], s.Size, m[fromSize]):
		m[base], s.Size, m[fromSize] = w.MeanLatency(), m[fromSize], 0
		return
	default:
		m[fromSize], m[fromRate] = s.Size, rate
	}
	s.Size -= (s.Size - s.Limit()*g) / 4 // of whole calls only a share does not wait
}

// fellWithLimit reports whether the rate is nearer to one that is proportional to the limit than to the
// same rate: 2·rate·fromSize < fromRate·(fromSize + size).
func fellWithLimit(rate, fromRate, size, fromSize int64) bool {
	high, low := bits.Mul64(uint64(rate), 2*uint64(fromSize))
	fromHigh, fromLow := bits.Mul64(uint64(fromRate), uint64(fromSize+size))
	return high < fromHigh || high == fromHigh && low < fromLow
}
