package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

func InMs(d time.Duration) float64 { return d.Seconds() * 1e3 }

func Megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

// Times writes a ratio for a table, or a dash if base is NaN.
func Times(value, base float64) string {
	if math.IsNaN(base) {
		return "–"
	}
	return fmt.Sprintf("%.2f", value/base)
}

// Percent writes a part of one.
func Percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

func Milliseconds(v float64) string { return fmt.Sprintf("%.2f", v) }

// Thousands groups the digits of a whole number: 1,234,567.
func Thousands(v float64) string {
	digits := strconv.FormatInt(int64(math.Round(v)), 10)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

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
