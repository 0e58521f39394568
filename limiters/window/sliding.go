package window

import (
	"errors"

	"cellserver/internal/exact"
)

// MaxSliding is the largest limit of a sliding window. Two counts of nine digits fit into one integer. Only
// charges make a count larger.
const MaxSliding = 999_999_999

var errSlidingLimit = errors.New("limit must be from 0 to 999999999")

// Sliding allows limit requests in any period, by the estimate of two counters. NewSliding makes one.
type Sliding struct {
	limit  int64
	period int64 // ns, whole milliseconds
}

// NewSliding returns a sliding window of limit requests, 0 to [MaxSliding], in period nanoseconds. A
// limit of 0 refuses every request. The period must be a whole number of milliseconds.
func NewSliding(limit, period int64) (Sliding, error) {
	switch {
	case limit < 0 || limit > MaxSliding:
		return Sliding{}, errSlidingLimit
	case period <= 0 || period%millisecond != 0:
		return Sliding{}, errPeriod
	}
	return Sliding{limit, period}, nil
}

// Window returns the length of the window in nanoseconds.
func (s Sliding) Window() int64 { return s.period }

// Counts are the state of a sliding window: how many requests passed in an aligned window, and in the window
// before it. End is the time after which neither of the two windows counts, in ns since the epoch: two
// periods after the aligned window began. The zero Counts are the state of an unknown key.
type Counts struct{ Current, Previous, End int64 }

// Decide answers a request for a quantity at now, in ns since the epoch. It returns the counts to store if
// the decision is Changed. Counts of another period are recognised by their End. They count in full until
// then; the counts to store are those of the new period. A quantity of 0 changes nothing.
func (s Sliding) Decide(c Counts, now, quantity int64) (Decision, Counts, error) {
	end, err := s.countsEnd(c, now, quantity)
	if err != nil {
		return Decision{}, c, err
	}
	c = s.at(c, end, now)
	used := s.used(c, end, now)
	d := Decision{Limit: s.limit, RetryAfter: never}
	switch {
	case quantity > s.limit-min(used, s.limit) || used > s.limit && s.limit > 0:
		d.Limited = true
		if quantity <= s.limit {
			d.RetryAfter = s.until(c, end, now, s.limit-quantity)
		}
	case quantity > 0:
		if c.End != end {
			c = Counts{Current: used, End: end}
		}
		c.Current += quantity
		used += quantity
		d.Changed = true
	}
	d.Remaining = max(s.limit-used, 0)
	d.ResetAfter = s.until(c, end, now, 0)
	return d, c, nil
}

// Charge counts a quantity, even if less is left. So more than the limit may count. The decision is then
// Limited, Remaining is negative, and RetryAfter is the time until a quantity of 1 passes. In all other
// respects Charge is like [Sliding.Decide]. The sum of both counts stays below 2⁶³.
func (s Sliding) Charge(c Counts, now, quantity int64) (Decision, Counts, error) {
	end, err := s.countsEnd(c, now, quantity)
	if err != nil {
		return Decision{}, c, err
	}
	c = s.at(c, end, now)
	if c.End != end && quantity > 0 {
		c = Counts{Current: s.used(c, end, now), End: end}
	}
	current, _ := exact.Add(c.Current, quantity)
	if _, ok := exact.Add(current, c.Previous); !ok || current < c.Current {
		return Decision{}, c, errTooMuch
	}
	c.Current = current
	used := s.used(c, end, now)
	d := Decision{Limited: used > s.limit, Changed: quantity > 0, Limit: s.limit, Remaining: s.limit - used, RetryAfter: never}
	if d.Limited && s.limit > 0 {
		d.RetryAfter = s.until(c, end, now, s.limit-1)
	}
	d.ResetAfter = s.until(c, end, now, 0)
	return d, c, nil
}

// end returns the end of the counts of the aligned window at now.
func (s Sliding) end(now, quantity int64) (int64, error) {
	if quantity < 0 {
		return 0, errQuantity
	}
	start, ok := floorTo(now, s.period)
	if !ok || s.period > farthest/2 || start > farthest-2*s.period {
		return 0, errTooLong
	}
	return start + 2*s.period, nil
}

// countsEnd returns the end of the counts that a request joins. If another request has begun the next window, and
// this one is behind by the lag at most, it counts there. Else the counts of that one would become previous ones.
func (s Sliding) countsEnd(c Counts, now, quantity int64) (int64, error) {
	end, err := s.end(now, quantity)
	if c.End-s.period == end && end-s.period-now <= lag {
		end = c.End
	}
	return end, err
}

// At returns the counts as they are at now: those of the window before become the previous ones.
func (s Sliding) At(c Counts, now int64) Counts {
	end, err := s.end(now, 0)
	if err != nil {
		return c
	}
	return s.at(c, end, now)
}

// Shorten is [Fixed.Shorten] for a sliding window. Both counts become that of the current window.
func (s Sliding) Shorten(c Counts, now int64) (shorter Counts, changed bool) {
	if now >= c.End || exact.Since(now, c.End) <= 2*s.period {
		return c, false
	}
	latest, err := s.end(exact.Plus(now, lag), 0)
	if err != nil || c.End <= latest {
		return c, false
	}
	end, _ := s.end(now, 0)
	return Counts{Current: exact.Plus(c.Current, c.Previous), End: end}, true
}

// at converts counts to the window whose counts end at end. Counts of another period do not change.
func (s Sliding) at(c Counts, end, now int64) Counts {
	switch {
	case now >= c.End:
		return Counts{End: end}
	case c.End == end-s.period:
		return Counts{Previous: c.Current, End: end}
	}
	return c
}

// used returns the number of requests that count at now.
func (s Sliding) used(c Counts, end, now int64) int64 {
	if c.End != end {
		return exact.Plus(c.Current, c.Previous)
	}
	return c.Current + s.overlap(c.Previous, end-s.period-now)
}

// overlap returns how much of the previous count still counts, rounded down. left is the time that is left
// of the current window.
func (s Sliding) overlap(previous, left int64) int64 {
	n, _, _ := exact.MulDiv(previous, min(left, s.period), s.period)
	return n
}

// until returns the shortest wait after now until at most allowed requests count, if no other request passes.
func (s Sliding) until(c Counts, end, now, allowed int64) int64 {
	switch {
	case exact.Plus(c.Current, c.Previous) <= allowed:
		return 0
	case c.End != end && c.End%s.period != 0: // of another period: they count in full until End
		return exact.Since(now, c.End)
	}
	next := c.End - s.period // the end of the window of the counts
	if c.Current <= allowed {
		if left := s.leftFor(c.Previous, allowed-c.Current); left > 0 {
			return max(next-left-now, 0)
		}
	}
	if left := s.leftFor(c.Current, allowed); left > 0 {
		return next - now + s.period - left
	}
	return next - now + s.period
}

// leftFor returns a time that is left of the window, 0 to the period. It is the longest time at which at
// most allowed of the previous count still count.
func (s Sliding) leftFor(previous, allowed int64) int64 {
	if previous <= allowed {
		return s.period
	}
	// previous * left < (allowed + 1) * period, and allowed < previous
	left, whole, _ := exact.MulDiv(allowed+1, s.period, previous)
	if whole {
		left--
	}
	return left
}

// LongestLease is [Fixed.LongestLease] for a sliding window. Less and less of the window before counts. So a
// request that passes at the grant also passes later in this window.
func (s Sliding) LongestLease(now int64) int64 {
	end, err := s.end(now, 0)
	if err != nil {
		return 0
	}
	return min(s.period/4, end-s.period-now)
}

// EndOf returns the end of the counts that have a request of an earlier time, as the argument mark of
// [Sliding.Settle].
func (s Sliding) EndOf(at int64) int64 {
	end, _ := s.end(at, 0)
	return end
}
