package window

import "cellserver/internal/exact"

// Settle replaces the estimated cost of a request with its real cost. mark is the end of the window that
// counted the estimate, as the decision returned it; more is the real cost minus the estimate. Nothing
// changes once that window has ended.
//
// If the state no longer has that window, a difference below 0 changes nothing, and a larger one is charged
// now. In all other respects Settle is like [Fixed.Charge] with a quantity of 0.
func (f Fixed) Settle(c Count, now, mark, more int64) (Decision, Count, error) {
	switch {
	case more == 0 || now >= mark:
		return f.Charge(c, now, 0)
	case now >= c.End || !same(c.End, mark):
		return f.Charge(c, now, max(more, 0))
	}
	used, ok := exact.Add(max(c.Used, 0), more)
	if !ok {
		return Decision{}, c, errTooMuch
	}
	d, next, err := f.Charge(Count{Used: max(used, 0), End: c.End}, now, 0)
	d.Changed = next != c
	return d, next, err
}

// Settle is [Fixed.Settle] for a sliding window. mark is the End of the counts that counted the estimate,
// and period is their period. The estimate counts until the mark. Counts of another period do not say where
// the estimate is.
func (s Sliding) Settle(c Counts, now, mark, period, more int64) (Decision, Counts, error) {
	next, part := c, (*int64)(nil)
	switch {
	case more == 0 || now >= mark:
		return s.Charge(c, now, 0)
	case period != s.period:
		return s.Charge(c, now, max(more, 0))
	case now < c.End && same(c.End, mark):
		part = &next.Current
	case now < c.End && same(c.End, exact.Plus(mark, s.period)):
		part = &next.Previous
	default:
		return s.Charge(c, now, max(more, 0))
	}
	sum, ok := exact.Add(*part, more)
	*part = max(sum, 0)
	if _, fits := exact.Add(next.Current, next.Previous); !ok || !fits {
		return Decision{}, c, errTooMuch
	}
	d, _, err := s.Charge(next, now, 0)
	d.Changed = next != c
	return d, next, err // they keep their window, because a settlement is not a request
}

// same reports whether two ends are of the same window. A clock that was set back moves ends by up to a
// millisecond more than others.
func same(a, b int64) bool { return a-b < millisecond && b-a < millisecond }
