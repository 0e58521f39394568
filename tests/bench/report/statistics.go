package report

import "slices"

// Median returns the middle value, or the mean of the two middle values. values is not empty.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Values returns a measure of each element.
func Values[T any](all []T, measure func(T) float64) []float64 {
	found := make([]float64, len(all))
	for i, v := range all {
		found[i] = measure(v)
	}
	return found
}

func MedianOf[T any](all []T, measure func(T) float64) float64 { return Median(Values(all, measure)) }
func Least[T any](all []T, measure func(T) float64) float64    { return slices.Min(Values(all, measure)) }
func Largest[T any](all []T, measure func(T) float64) float64 {
	return slices.Max(Values(all, measure))
}
