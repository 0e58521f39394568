package load

import (
	"slices"
	"time"
)

// Timing is one pipeline: the time of its sending since the start of the load, and the time until its last reply.
type Timing struct{ At, Took time.Duration }

// Percentile returns the least duration that covers the given part (0…1) of all; 0 for none. It sorts all.
func Percentile(all []Timing, part float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, func(a, b Timing) int { return int(a.Took - b.Took) })
	return all[max(0, min(len(all)-1, ceil(part*float64(len(all)))-1))].Took
}

// ceil returns the least integer that is not below x.
func ceil(x float64) int {
	n := int(x)
	if float64(n) < x {
		n++
	}
	return n
}

// Within returns the pipelines that were sent in a span of time.
func Within(all []Timing, from, to time.Duration) (some []Timing) {
	for _, t := range all {
		if from <= t.At && t.At < to {
			some = append(some, t)
		}
	}
	return some
}
