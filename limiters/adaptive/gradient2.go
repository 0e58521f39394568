package adaptive

// The memory of GRADIENT2 after the long average: the windows of its start and their latencies.
const (
	warmups   = 1
	warmupSum = 2
)

const (
	longUnit    = 1024 // of the long average in a ns
	warmupCount = 10   // windows that the long average begins with
)

// nextGradient2 compares the latency of a window with its average over about 600 windows, and lets four
// calls wait.
func nextGradient2(s *State, w *Window, _ *Options) {
	rtt, limit := w.MeanLatency(), s.Limit()
	long := averageLatency(&s.Memory, rtt)
	g := gradientOf(mulDiv(long/longUnit, 1500, 1000), rtt)
	if long/longUnit > 2*rtt {
		s.Memory[base] = long / 100 * 95
	}
	if 2*w.Busiest < limit {
		return
	}
	const waiting = 4 * One
	next := s.Size*g/One + waiting
	s.Size += (next - s.Size) * 200 / 1000
}

// averageLatency adds a latency to the long average, and returns the average.
func averageLatency(m *[5]int64, rtt int64) int64 {
	if m[warmups] < warmupCount {
		m[warmups]++
		m[warmupSum] += rtt
		m[base] = mulDiv(m[warmupSum], longUnit, m[warmups])
		return m[base]
	}
	const windows = 601
	if off := rtt*longUnit - m[base]; off >= 0 {
		m[base] += (off*2 + windows/2) / windows
	} else {
		m[base] += (off*2 - windows/2) / windows
	}
	return m[base]
}

// gradientOf returns the share of a latency that is not waiting, from a half to [One].
func gradientOf(allowed, rtt int64) int64 { return min(max(mulDiv(allowed, One, rtt), One/2), One) }
