package adaptive

// Window is what the callers of one window have seen.
type Window struct {
	Samples int64 // calls that ended, dropped ones too
	Sum     int64 // of their latencies, in ns
	Busiest int64 // most calls at once
	Drops   int64 // of the samples
	Refused int64 // callers that the limit turned away
	Length  int64 // ns
}

// MeanLatency returns the mean latency in ns, at least 1.
func (w *Window) MeanLatency() int64 {
	return min(max(w.Sum/max(w.Samples, 1), 1), LongestLatency)
}

// rate returns the samples in a second.
func (w *Window) rate() int64 { return mulDiv(max(w.Samples, 0), 1e9, max(w.Length, 1)) }
