package window

import (
	"errors"

	"cellserver/internal/exact"
)

// MaxSliding is the greatest limit of a sliding window, so that both of its counts fit into
// one integer, each in nine digits of it.
const MaxSliding = 999_999_999

var errSlidingLimit = errors.New("limit must be from 1 to 999999999")

// Sliding allows limit actions in a period that slides, as far as two counters can tell.
// NewSliding makes it.
type Sliding struct {
	limit  int64
	period int64 // ns, whole milliseconds
}

// NewSliding allows limit actions, 1 to [MaxSliding], in any period nanoseconds, which are
// whole milliseconds.
func NewSliding(limit, period int64) (Sliding, error) {
	switch {
	case limit <= 0 || limit > MaxSliding:
		return Sliding{}, errSlidingLimit
	case period <= 0 || period%millisecond != 0:
		return Sliding{}, errPeriod
	}
	return Sliding{limit, period}, nil
}

// Counts are what is remembered of a sliding window: how many passed in a window that begins
// at a multiple of the period, and in the one before it, and in ns since the epoch when
// neither counts any more, two periods after it began. The zero Counts remember nothing.
type Counts struct{ Current, Previous, End int64 }

// Decide answers a request for quantity at now, in ns since the epoch, and returns the counts
// to store if the decision says Changed. What counts is current + previous · overlap, rounded
// down, where overlap is the part of the previous window that is less than a period ago.
// Counts of another period, whose End tells that they are, all count until then, and are new
// once they are stored. A quantity of 0 decides and changes nothing.
func (s Sliding) Decide(c Counts, now, quantity int64) (Decision, Counts, error) {
	if quantity < 0 {
		return Decision{}, c, errQuantity
	}
	start, ok := floorTo(now, s.period)
	if !ok || s.period > farthest/2 || start > farthest-2*s.period {
		return Decision{}, c, errTooLong
	}
	end := start + 2*s.period
	c = s.at(c, end, now)
	used := s.used(c, end, now)
	d := Decision{Limit: s.limit, RetryAfter: never}
	switch {
	case quantity > s.limit-min(used, s.limit) || used > s.limit:
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

// at is what counts mean in the window whose counts end at end. Those of another period stay
// as they are.
func (s Sliding) at(c Counts, end, now int64) Counts {
	switch {
	case now >= c.End:
		return Counts{End: end}
	case c.End == end-s.period:
		return Counts{Previous: c.Current, End: end}
	}
	return c
}

// used is how many actions count at now.
func (s Sliding) used(c Counts, end, now int64) int64 {
	if c.End != end {
		return c.Current + c.Previous
	}
	return c.Current + s.overlap(c.Previous, end-s.period-now)
}

// overlap is the part of a previous window's count that counts with so much left of the
// current window, rounded down.
func (s Sliding) overlap(previous, left int64) int64 {
	n, _, _ := exact.MulDiv(previous, left, s.period) // at most previous, as left is at most the period
	return n
}

// until is the least wait after now until no more than some actions count, if none is added.
func (s Sliding) until(c Counts, end, now, most int64) int64 {
	switch {
	case c.Current+c.Previous <= most:
		return 0
	case c.End != end && c.End%s.period != 0: // of another period, and never like counts of this one
		return exact.Since(now, c.End)
	}
	next := c.End - s.period // the window after the one that they are, or will be, of
	if c.Current <= most {
		if left := s.leftFor(c.Previous, most-c.Current); left > 0 {
			return max(next-left-now, 0)
		}
	}
	if left := s.leftFor(c.Current, most); left > 0 {
		return next - now + s.period - left
	}
	return next - now + s.period
}

// leftFor is the most time that may be left of a window, so that no more than some of the
// count of the one before it count: 0 to the period.
func (s Sliding) leftFor(previous, most int64) int64 {
	if previous <= most {
		return s.period
	}
	// previous * left < (most + 1) * period, and most < previous
	left, whole, _ := exact.MulDiv(most+1, s.period, previous)
	if whole {
		left--
	}
	return left
}
