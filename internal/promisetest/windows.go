package promisetest

import (
	"fmt"
	"time"
)

// step is the exactness of windows: their edges are multiples of it.
const step = 10 * time.Millisecond

// InWindows promises at most so many actions in every window of a length.
func InWindows(most func(length time.Duration) float64) Promise {
	return func(all []Action) error {
		steps := 0
		for _, a := range all {
			steps = max(steps, int(a.Answered/step)+2)
		}
		byFirst := make([][]int, steps) // the last steps of the actions that begin in a step
		for _, a := range all {
			first, last := int(a.Asked/step), int((a.Answered+step-1)/step)
			byFirst[first] = append(byFirst[first], last)
		}
		inside := make([]int, steps) // by last step: the actions that begin in the first step or later
		for first := steps - 1; first >= 0; first-- {
			for _, last := range byFirst[first] {
				inside[last]++
			}
			sum := 0
			for last := first; last < steps; last++ {
				sum += inside[last]
				length := time.Duration(last-first) * step
				if float64(sum) > most(length) {
					return fmt.Errorf("%d actions in %s from %s on, where %.0f may be",
						sum, length, time.Duration(first)*step, most(length))
				}
			}
		}
		return nil
	}
}

// Bucket is the promise of a GCRA: the limit, and what comes back.
func Bucket(limit, count int, period time.Duration) Promise {
	const rounding = 1e-6
	return InWindows(func(length time.Duration) float64 {
		return float64(limit) + float64(count)*float64(length)/float64(period) + rounding
	})
}

// AnyPeriod is the promise of a log.
func AnyPeriod(limit int, period time.Duration) Promise {
	return InWindows(func(length time.Duration) float64 {
		return float64(limit) * float64(1+(length-1)/period)
	})
}
