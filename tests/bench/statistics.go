package main

import "slices"

// median is the middle of them, or the mean of the two in the middle; there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// middle is the median of each measure, and the spread of the processor time: (largest - least) / median.
func middle(samples []sample) (m sample, spread float64) {
	of := func(field func(sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = field(s)
		}
		return median(values)
	}
	m = sample{
		rate: of(func(s sample) float64 { return s.rate }),
		cpu:  of(func(s sample) float64 { return s.cpu }),
		p50:  of(func(s sample) float64 { return s.p50 }),
		p99:  of(func(s sample) float64 { return s.p99 }),
		p999: of(func(s sample) float64 { return s.p999 }),
		max:  of(func(s sample) float64 { return s.max }),
	}
	byCPU := func(a, b sample) int { return int((a.cpu - b.cpu) * 1e6) }
	return m, (slices.MaxFunc(samples, byCPU).cpu - slices.MinFunc(samples, byCPU).cpu) / m.cpu
}
