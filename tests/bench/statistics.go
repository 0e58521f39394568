package main

import "slices"

// median is the middle of them, or the mean of the two in the middle; there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// values are a measure of each.
func values[T any](all []T, measure func(T) float64) []float64 {
	found := make([]float64, len(all))
	for i, v := range all {
		found[i] = measure(v)
	}
	return found
}

func medianOf[T any](all []T, measure func(T) float64) float64 { return median(values(all, measure)) }
func least[T any](all []T, measure func(T) float64) float64    { return slices.Min(values(all, measure)) }
func largest[T any](all []T, measure func(T) float64) float64 {
	return slices.Max(values(all, measure))
}

// middle is the median of each measure, but the most that others did, and the spread of the processor time:
// (largest - least) / median.
func middle(samples []sample) (m sample, spread float64) {
	of := func(field func(sample) float64) float64 { return medianOf(samples, field) }
	m = sample{
		rate: of(byRate),
		cpu:  of(byCPU),
		p50:  of(func(s sample) float64 { return s.p50 }),
		p99:  of(func(s sample) float64 { return s.p99 }),
		p999: of(byP999),
		max:  of(func(s sample) float64 { return s.max }),
		// What disturbed a measurement shows, however seldom.
		others: largest(samples, sample.disturbed),
	}
	return m, (largest(samples, byCPU) - least(samples, byCPU)) / m.cpu
}
