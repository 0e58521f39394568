package adaptive

import "cellserver/internal/exact"

// probes is the index of the windows since the last probe in the memory of VEGAS.
const probes = 1

// nextVegas estimates how many calls wait in the service, from the least latency. It keeps between three and
// six times the digits of the limit. From time to time it takes the latency of a window for the least one.
func nextVegas(s *State, w *Window, _ *Options) {
	l, rtt, m := s.Limit(), w.MeanLatency(), &s.Memory
	s.Size = l * One
	m[probes]++
	if 4*m[probes] >= 90*l {
		m[probes], m[base] = 0, rtt
		return
	}
	if m[base] == 0 || rtt < m[base] {
		m[base] = rtt
		return
	}
	step := digits(l)
	switch {
	case w.Drops > 0:
		l -= step
	case 2*w.Busiest < l:
	default:
		queue, whole, _ := exact.MulDiv(l, rtt-m[base], rtt)
		if !whole {
			queue++
		}
		l += vegasStep(queue, step)
	}
	s.Size = l * One
}

// vegasStep returns how far the limit moves while a number of calls wait.
func vegasStep(queue, step int64) int64 {
	const few, many = 3, 6
	switch {
	case queue <= step:
		return many * step
	case queue < few*step:
		return step
	case queue > many*step:
		return -step
	}
	return 0
}

// digits returns the digits of a number after the first one, at least 1.
func digits(n int64) (d int64) {
	for ; n >= 10; n /= 10 {
		d++
	}
	return max(d, 1)
}
