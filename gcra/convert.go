package gcra

import (
	"math"

	"cellserver/internal/exact"
)

// Counted says how a TAT was counted: at an emission interval, in ns. Limit is the limit at that time,
// or 0 if the TAT was at most one full burst ahead.
type Counted struct{ Interval, Limit int64 }

// Convert returns the TAT that the same requests have at this quota. A TAT is a time. So requests that
// were counted at another interval would weigh more or less than they did. Convert keeps their number:
//
//	new debt = debt * interval / counted interval        rounded up
//
// Requests within a burst wait for a full burst of this quota at most. Requests that were charged beyond
// a burst come on top. The TAT stays so early that this quota can count a full burst from it.
func (q Quota) Convert(tat, now int64, c Counted) int64 {
	if tat <= now || q.interval == 0 || c.Interval <= 0 {
		return tat
	}
	within, beyond := exact.Since(now, tat), int64(0)
	if burst, ok := exact.Mul(c.Limit, c.Interval); c.Limit > 0 && ok && within > burst {
		within, beyond = burst, within-burst
	}
	within = min(q.scale(within, c.Interval), q.tolerance)
	return min(exact.Plus(now, exact.Plus(within, q.scale(beyond, c.Interval))), math.MaxInt64-q.tolerance)
}

// scale converts a debt from another interval to that of the quota, rounded up.
func (q Quota) scale(debt, interval int64) int64 {
	if interval == q.interval {
		return debt
	}
	scaled, whole, ok := exact.MulDiv(debt, q.interval, interval)
	switch {
	case !ok:
		return math.MaxInt64
	case !whole:
		scaled = exact.Plus(scaled, 1)
	}
	return scaled
}
