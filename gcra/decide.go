package gcra

import (
	"errors"

	"cellserver/internal/exact"
)

// never is the RetryAfter of a request that passed, or can never pass.
const never = -1

var (
	errQuantityOutOfRange = errors.New("quantity is out of range for this count and period: over 292 " +
		"years of requests")
	errNegativeQuantity = errors.New("quantity must not be negative")
	errQuantityTooFar   = errors.New("quantity reaches too far: the quota would not be full again " +
		"before the year 2262")
)

// Decision is the answer to one request. The last four integers of CL.THROTTLE's reply are Limit, Remaining,
// RetryAfter and ResetAfter, these two in whole seconds, rounded up.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // store TAT, or delete the key if TAT <= now

	// TAT is the time at which the quota is full again, in ns since the epoch. If Changed is not set, it is
	// the TAT of the argument.
	TAT int64

	Limit     int64 // requests in a full burst
	Remaining int64 // requests that would pass now, 0 to Limit

	// RetryAfter is the shortest wait after which the same request passes, in ns, if no other request passes
	// before. It is -1 if the request passed, or if it asks for more than a burst.
	RetryAfter int64
	ResetAfter int64 // ns until the quota is full again
}

// Decide answers a request for a quantity. now and tat are in ns since the epoch. A tat at or before now
// means a full quota. A tat of 0 means that the key has no TAT.
//
// A quantity of 0 changes nothing. A negative quantity is a refund: it always passes, and makes the quota
// full at most. The error says that the quantity is beyond int64 nanoseconds.
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

// Charge takes a quantity even if less remains. Use it for a cost that is known only afterwards. The TAT may
// then be more than the tolerance ahead of now: this is a debt. With a debt the decision is both Limited and
// Changed. Remaining is the debt as a negative number. RetryAfter is the time until the debt is paid. In all
// other respects Charge is like [Quota.Decide].
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

// move returns the TAT before and after a quantity. start is the later of now and tat. A refund moves the
// TAT back to now at most.
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

// wait returns the time from now until a request that moves the TAT to newTAT may pass.
func (q Quota) wait(newTAT, now int64) int64 {
	return exact.Since(now, max(now, exact.Plus(newTAT, -q.tolerance)))
}
