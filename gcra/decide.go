package gcra

import (
	"errors"

	"cellserver/internal/exact"
)

// never is the RetryAfter of a request which passed, or cannot ever pass.
const never = -1

var (
	errQuantityOutOfRange = errors.New("quantity is out of range for this count and period: over 292 years of requests")
	errQuantityTooFar     = errors.New("quantity reaches too far: the quota would not be full again before the year 2262")
)

// Decision is the answer to one request. Limit, Remaining, and CeilSeconds of
// RetryAfter and ResetAfter, are the last four integers of CL.THROTTLE's reply.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // TAT is to be stored, or the key to be deleted if TAT <= now

	// TAT, in ns since the epoch, is when the quota is full again; the one that
	// was passed in unless Changed.
	TAT int64

	Limit     int64 // requests in a full burst
	Remaining int64 // requests that would pass at once now, 0 to Limit

	// RetryAfter, in ns, is the least wait after which the same request passes if
	// nothing else does meanwhile; -1 if it passed now, or asks for more than a burst.
	RetryAfter int64
	ResetAfter int64 // ns until the quota is full again
}

// Decide answers a request for quantity at now, both it and tat in ns since
// the epoch. A tat at or before now, or 0 for none stored, is a full quota.
//
// A quantity of 0 decides and never changes anything. A negative one is a
// refund: it always passes, and fills the quota to the brim at most. An error
// names the quantity which leaves int64 nanoseconds; nothing is decided then.
func (q Quota) Decide(tat, now, quantity int64) (Decision, error) {
	start, newTAT, err := q.move(tat, now, quantity)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{TAT: tat, Limit: q.limit, RetryAfter: never}
	if wait := q.wait(newTAT, now); wait > 0 && quantity >= 0 {
		d.Limited = true
		if quantity <= q.limit {
			d.RetryAfter = wait
		}
		newTAT = start
	} else if newTAT != start {
		d.TAT, d.Changed = newTAT, true
	}
	d.ResetAfter = exact.Since(now, newTAT)
	d.Remaining = max(0, (q.tolerance-d.ResetAfter)/q.interval)
	return d, nil
}

// Charge takes a quantity at now, whatever is left: what something cost may be known only
// when it is done. The TAT may lie further ahead than the bucket is deep, into debt: then
// the answer is Limited though it is Changed, Remaining says how much is owed, below 0, and
// RetryAfter when nothing is. Otherwise it is [Quota.Decide].
func (q Quota) Charge(tat, now, quantity int64) (Decision, error) {
	start, newTAT, err := q.move(tat, now, quantity)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{TAT: tat, Limit: q.limit, RetryAfter: never}
	if newTAT != start {
		d.TAT, d.Changed = newTAT, true
	}
	if wait := q.wait(newTAT, now); wait > 0 {
		d.Limited, d.RetryAfter = true, wait
	}
	d.ResetAfter = exact.Since(now, newTAT)
	d.Remaining = -exact.CeilDiv(d.ResetAfter-q.tolerance, q.interval)
	return d, nil
}

// move is from where to where a quantity moves the TAT: from now, unless it lies ahead.
// A refund moves it back to now at most.
func (q Quota) move(tat, now, quantity int64) (start, newTAT int64, err error) {
	if q.interval == 0 {
		return 0, 0, ErrZeroRate
	}
	increment, ok := exact.Mul(quantity, q.interval)
	if !ok {
		return 0, 0, errQuantityOutOfRange
	}
	start = tat
	if tat == 0 || tat < now {
		start = now
	}
	newTAT, ok = exact.Add(start, increment)
	switch {
	case increment < 0 && (!ok || newTAT < now):
		newTAT = now
	case !ok:
		return 0, 0, errQuantityTooFar
	}
	return start, newTAT, nil
}

// wait is how long after now a request moving the TAT to newTAT may pass.
func (q Quota) wait(newTAT, now int64) int64 {
	allowAt, ok := exact.Add(newTAT, -q.tolerance)
	if !ok || allowAt <= now {
		return 0 // a difference below int64 is before any now
	}
	return exact.Since(now, allowAt)
}

// CeilSeconds turns nanoseconds into whole seconds, rounded up, so that a client
// which sleeps them never comes too early. -1, "never", stays -1.
func CeilSeconds(ns int64) int64 {
	if ns == never {
		return never
	}
	return exact.CeilDiv(ns, nanosPerSecond)
}
