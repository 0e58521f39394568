package main

import (
	"cmp"
	"slices"
)

// median is the middle of them, or the mean of the two in the middle; there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// middle is the median of each measure, but the most that others did, and the spread of the processor time:
// (largest - least) / median.
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
		// What disturbed a measurement shows, however seldom.
		others: slices.MaxFunc(samples, func(a, b sample) int { return cmp.Compare(a.others, b.others) }).others,
	}
	least, largest := extremes(samples, byCPU)
	return m, (largest - least) / m.cpu
}

// extremes are the least and the largest of a measure.
func extremes(samples []sample, measure func(sample) float64) (least, largest float64) {
	least, largest = measure(samples[0]), measure(samples[0])
	for _, s := range samples {
		least, largest = min(least, measure(s)), max(largest, measure(s))
	}
	return least, largest
}
