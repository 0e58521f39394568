package window

import (
	"errors"

	"cellserver/internal/exact"
)

const millisecond = 1_000_000

// never is the RetryAfter of a request that passed, or can never pass.
const never = -1

// The errors name the argument that is wrong.
var (
	errLimit    = errors.New("limit must not be negative")
	errPeriod   = errors.New("period must be a whole number of milliseconds, at least one")
	errQuantity = errors.New("quantity must not be negative")
	errTooLong  = errors.New("period is too long: its window would not end before the year 2262")
	errTooMuch  = errors.New("quantity is too large: the count would exceed 9223372036854775807")
)

// Calendar says when windows end.
type Calendar interface {
	// End returns the end of the window at now: a whole millisecond after now, in ns since the epoch. ok
	// reports whether it fits an int64.
	End(now int64) (end int64, ok bool)
	// Length returns the length in ns of its longest window, with 24 hours a day.
	Length() int64
}

// Fixed allows limit requests in each window. NewFixed or NewCalendar makes one.
type Fixed struct {
	limit    int64
	period   int64 // ns, whole milliseconds
	aligned  bool
	calendar Calendar // nil for windows of a period
}

// NewFixed returns windows of period nanoseconds. A limit of 0 refuses every request. The period must be
// a whole number of milliseconds. An aligned window begins at a multiple of period since the Unix epoch.
// Other windows begin with the millisecond of the first request that passes after the window before.
func NewFixed(limit, period int64, aligned bool) (Fixed, error) {
	switch {
	case limit < 0:
		return Fixed{}, errLimit
	case period <= 0 || period%millisecond != 0:
		return Fixed{}, errPeriod
	}
	return Fixed{limit: limit, period: period, aligned: aligned}, nil
}

// NewCalendar returns the windows of a calendar. A limit of 0 refuses every request.
func NewCalendar(limit int64, c Calendar) (Fixed, error) {
	if limit < 0 {
		return Fixed{}, errLimit
	}
	return Fixed{limit: limit, calendar: c}, nil
}

// Window returns the length of a window in nanoseconds. For a calendar it is that of the longest one.
func (f Fixed) Window() int64 {
	if f.calendar != nil {
		return f.calendar.Length()
	}
	return f.period
}

// Count is the state of a fixed window: how many requests passed in it, and its end in ns since the epoch.
// The zero Count is the state of an unknown key.
type Count struct{ Used, End int64 }

// Decision is the answer to one request. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass; after a charge, more than Limit count
	Changed bool // store the new state

	Limit      int64 // requests in a window
	Remaining  int64 // requests that would pass now, 0 to Limit; after a charge, below 0 if more than Limit count
	RetryAfter int64 // shortest wait after which the same request passes; -1 if it passed, or never can
	ResetAfter int64 // time until Limit requests would pass at once
}

// Decide answers a request for a quantity at now, in ns since the epoch. It returns the count to store if the
// decision is Changed. A window keeps its end even if the period changes. A quantity of 0 changes nothing.
func (f Fixed) Decide(c Count, now, quantity int64) (Decision, Count, error) {
	if quantity < 0 {
		return Decision{}, c, errQuantity
	}
	c, ok := f.at(c, now)
	if !ok {
		return Decision{}, c, errTooLong
	}
	d := Decision{Limit: f.limit, RetryAfter: never}
	left := f.limit - min(max(c.Used, 0), f.limit)
	switch {
	case quantity > left || c.Used > f.limit && f.limit > 0:
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

// Charge counts a quantity, even if less is left. So more than the limit may count. The decision is then
// Limited, Remaining is negative, and RetryAfter is the time until a quantity of 1 passes. In all other
// respects Charge is like [Fixed.Decide].
func (f Fixed) Charge(c Count, now, quantity int64) (Decision, Count, error) {
	if quantity < 0 {
		return Decision{}, c, errQuantity
	}
	c, ok := f.at(c, now)
	if !ok {
		return Decision{}, c, errTooLong
	}
	if c.Used, ok = exact.Add(max(c.Used, 0), quantity); !ok {
		return Decision{}, c, errTooMuch
	}
	d := Decision{Limited: c.Used > f.limit, Changed: quantity > 0, Limit: f.limit, Remaining: f.limit - c.Used, RetryAfter: never}
	if c.Used > 0 {
		d.ResetAfter = exact.Since(now, c.End)
	}
	if d.Limited && f.limit > 0 {
		d.RetryAfter = d.ResetAfter
	}
	return d, c, nil
}

// at returns the count of the window at now: an empty one if the window has ended. ok reports whether its
// end fits an int64.
func (f Fixed) at(c Count, now int64) (Count, bool) {
	if now < c.End {
		return c, true
	}
	end, ok := f.end(now)
	return Count{End: end}, ok
}

// lag is by how many ns at most the time of a request may be behind that of an earlier one. Requests read the
// clock before they wait for the key. The clock also follows a step back of clock-step-limit, by default 10 s.
const lag = 9_999_999_999

// Shorten returns a count for these windows, if its window ends later than any that has begun. It is then
// the count of a longer period, and its window ends with the one that begins at now. A window that
// begins within the lag may have begun for another request. So nobody waits longer than a period and the lag.
func (f Fixed) Shorten(c Count, now int64) (shorter Count, changed bool) {
	if now >= c.End || exact.Since(now, c.End) <= f.Window() {
		return c, false
	}
	if latest, ok := f.end(exact.Plus(now, lag)); !ok || c.End <= latest {
		return c, false
	}
	end, _ := f.end(now)
	return Count{c.Used, end}, true
}

// end returns the end of a window that begins at now. ok reports whether it fits an int64.
func (f Fixed) end(now int64) (end int64, ok bool) {
	if f.calendar != nil {
		return f.calendar.End(now)
	}
	unit := int64(millisecond)
	if f.aligned {
		unit = f.period
	}
	start, ok := floorTo(now, unit)
	return start + f.period, ok && start <= farthest-f.period
}

// LongestLease returns how long a lease of requests may last from now on, in ns. A lease counts in the window
// of its grant, and must be spent in it. So it lasts for a quarter of the window at most.
func (f Fixed) LongestLease(c Count, now int64) int64 {
	c, ok := f.at(c, now)
	if !ok {
		return 0
	}
	return min(f.Window()/4, exact.Since(now, c.End))
}

// EndOf returns the end of the window that counts a request of an earlier time. It is 0 if that window is
// not the one of the count.
func (f Fixed) EndOf(c Count, at int64) int64 {
	if f.aligned || f.calendar != nil {
		end, _ := f.end(at)
		return end
	}
	if at < c.End-f.period {
		return 0
	}
	return c.End
}
