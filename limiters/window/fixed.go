package window

import (
	"errors"

	"cellserver/internal/exact"
)

const millisecond = 1_000_000

// never is the RetryAfter of a request which passed, or cannot ever pass.
const never = -1

// The errors name the argument that is wrong.
var (
	errLimit    = errors.New("limit must be positive")
	errPeriod   = errors.New("period must be a whole number of milliseconds, at least one")
	errQuantity = errors.New("quantity must not be negative")
	errTooLong  = errors.New("period is too long: its window would not end before the year 2262")
)

// Fixed allows limit actions in a window of period. NewFixed makes it.
type Fixed struct {
	limit   int64
	period  int64 // ns, whole milliseconds
	aligned bool
}

// NewFixed allows limit actions, at least one, in each window of period nanoseconds, which
// are whole milliseconds. A window begins with the millisecond of the first action that
// passes after the one before; aligned, at the multiples of period since the Unix epoch.
func NewFixed(limit, period int64, aligned bool) (Fixed, error) {
	switch {
	case limit <= 0:
		return Fixed{}, errLimit
	case period <= 0 || period%millisecond != 0:
		return Fixed{}, errPeriod
	}
	return Fixed{limit, period, aligned}, nil
}

// Count is what is remembered of a fixed window: how many passed in it, and when it is over,
// in ns since the epoch. The zero Count remembers nothing.
type Count struct{ Used, End int64 }

// Decision is the answer to one request. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // the new state is to be stored

	Limit      int64 // actions in a window
	Remaining  int64 // actions that would pass at once now, 0 to Limit
	RetryAfter int64 // the least wait after which the same request passes; -1 if it passed, or never can
	ResetAfter int64 // until all of Limit would pass at once
}

// Decide answers a request for quantity at now, in ns since the epoch, and returns the count
// to store if the decision says Changed. A window that has begun lasts until its end, also
// when the period has changed meanwhile. A quantity of 0 decides and changes nothing.
func (f Fixed) Decide(c Count, now, quantity int64) (Decision, Count, error) {
	if quantity < 0 {
		return Decision{}, c, errQuantity
	}
	if now >= c.End {
		end, ok := f.end(now)
		if !ok {
			return Decision{}, c, errTooLong
		}
		c = Count{End: end}
	}
	d := Decision{Limit: f.limit, RetryAfter: never}
	left := f.limit - min(max(c.Used, 0), f.limit)
	switch {
	case quantity > left || c.Used > f.limit:
		d.Limited = true
		if quantity <= f.limit {
			d.RetryAfter = exact.Since(now, c.End)
		}
	case quantity > 0:
		c.Used = f.limit - left + quantity
		left -= quantity
		d.Changed = true
	}
	d.Remaining = left
	if left < f.limit {
		d.ResetAfter = exact.Since(now, c.End)
	}
	return d, c, nil
}

// end is when a window that begins at now is over.
func (f Fixed) end(now int64) (end int64, ok bool) {
	unit := int64(millisecond)
	if f.aligned {
		unit = f.period
	}
	start, ok := floorTo(now, unit)
	return start + f.period, ok && start <= farthest-f.period
}
