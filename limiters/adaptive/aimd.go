package adaptive

// nextAIMD adds one call after a window without a drop and without a long latency. Otherwise it takes a
// tenth off. It grows only while at least half of the limit is used.
func nextAIMD(s *State, w *Window, o *Options) {
	l := s.Limit()
	switch {
	case w.Drops > 0 || w.MeanLatency() > o.Latency:
		l = l * 900 / 1000
	case 2*w.Busiest >= l:
		l++
	}
	s.Size = l * One
}
