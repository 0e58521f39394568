package promisetest

import (
	"fmt"
	"slices"
	"time"
)

// Aligned is the promise of a window that begins at multiples of its period. The time 0 of the actions is
// that long after the begin of a window.
func Aligned(limit int, period, after time.Duration) Promise {
	return func(all []Action) error {
		counts := map[time.Duration]int{}
		for _, a := range all {
			if w := (a.Asked + after) / period; w == (a.Answered+after)/period {
				counts[w]++
			}
		}
		for w, n := range counts {
			if n > limit {
				return fmt.Errorf("%d actions in the window at %s, where %d may be", n, w*period-after, limit)
			}
		}
		return nil
	}
}

// Sliding is the promise of a window of two counters: the current one, and the previous one as far as it
// overlaps. The time 0 of the actions is that long after the begin of a window.
func Sliding(limit int, period, after time.Duration) Promise {
	return func(all []Action) error {
		var asked, answered []time.Duration
		for _, a := range all {
			asked, answered = append(asked, a.Asked+after), append(answered, a.Answered+after)
		}
		slices.Sort(asked)
		slices.Sort(answered)
		within := func(from, to time.Duration) int { // at least so many
			ended, _ := slices.BinarySearch(answered, to)
			early, _ := slices.BinarySearch(asked, from)
			return max(0, ended-early)
		}
		for _, at := range answered {
			window := at / period * period
			overlap := float64(window+period-at) / float64(period)
			used := float64(within(window, at)) + float64(within(window-period, window))*overlap
			if used > float64(limit) {
				return fmt.Errorf("%.1f actions at %s, where %d may be", used, at-after, limit)
			}
		}
		return nil
	}
}
