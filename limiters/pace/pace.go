package pace

import (
	"errors"
	"math"

	"cellserver/internal/exact"
)

// The errors name the argument that is wrong.
var (
	errMaxBurst      = errors.New("max_burst must not be negative")
	errCount         = errors.New("count must be positive")
	errPeriod        = errors.New("period must be positive")
	errCountTooLarge = errors.New("count is too large for this period: less than a nanosecond " +
		"between two requests")
	errMaxBurstTooLarge = errors.New("max_burst is too large for this count and period: a burst would " +
		"need over 292 years to come back")
	errMaxWait  = errors.New("maxwait must not be negative")
	errWarmup   = errors.New("warmup must not be negative")
	errQuantity = errors.New("quantity must not be negative")
	errTooFar   = errors.New("quantity reaches too far: the next request would not be free to " +
		"go before the year 2262")
)

// never is the RetryAfter of a request that passed.
const never = -1

// Forever is the maxWait of a pacer that never refuses a request.
const Forever = math.MaxInt64

// Pacer is a rate, with a maximum of the stored time and a maximum of the time to hold a request. New makes
// one.
type Pacer struct {
	interval int64 // ns from one request to the next, at least 1
	most     int64 // most unused time that is stored, in ns
	maxWait  int64 // ns
	warmup   int64 // ns; 0 is bursty
	limit    int64 // requests that go at once after a long pause
}

// New returns a pacer of count requests in period nanoseconds, and maxBurst more at once after a pause. It
// refuses a request that it would hold for more than maxWait nanoseconds. With a warmup above 0, in
// nanoseconds, the pacer takes this time to reach its full rate, and maxBurst has no effect. An error names
// the argument that is out of range.
func New(maxBurst, count, period, maxWait, warmup int64) (Pacer, error) {
	switch {
	case maxBurst < 0:
		return Pacer{}, errMaxBurst
	case count <= 0:
		return Pacer{}, errCount
	case period <= 0:
		return Pacer{}, errPeriod
	case period < count:
		return Pacer{}, errCountTooLarge
	case maxWait < 0:
		return Pacer{}, errMaxWait
	case warmup < 0:
		return Pacer{}, errWarmup
	}
	p := Pacer{interval: period / count, maxWait: maxWait, warmup: warmup, most: warmup, limit: 1}
	if warmup == 0 {
		most, ok := exact.Mul(maxBurst, p.interval)
		if !ok || maxBurst == math.MaxInt64 {
			return Pacer{}, errMaxBurstTooLarge
		}
		p.most, p.limit = most, maxBurst+1
	}
	return p, nil
}

// State is the state of a key. Free is the time at which the next request may go, in ns since the epoch.
// Stored is the unused time before Free, in ns. The zero State is the state of an unknown key.
type State struct{ Free, Stored int64 }

// Decision is the answer to one request. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // store the new state, or delete the key if ResetAfter is 0

	Hold       int64 // time to hold a request that passes
	Limit      int64 // requests that go at once after a long pause
	Remaining  int64 // requests that would go now, 0 to Limit
	RetryAfter int64 // shortest wait after which the same request passes; -1 if it passed
	ResetAfter int64 // time until the state is that after a long pause
}

// Decide answers a request for a quantity at now, in ns since the epoch. It returns the state to store if the
// decision is Changed. A quantity of 0 changes nothing.
func (p Pacer) Decide(s State, now, quantity int64) (Decision, State, error) {
	if quantity < 0 {
		return Decision{}, s, errQuantity
	}
	s = p.at(s, now)
	hold := exact.Since(now, s.Free)
	d := Decision{Limit: p.limit, RetryAfter: never}
	switch {
	case hold > p.maxWait:
		d.Limited, d.RetryAfter = true, hold-p.maxWait
	default:
		next, ok := p.take(s, quantity)
		if !ok {
			return Decision{}, s, errTooFar
		}
		d.Hold, d.Changed, s = hold, quantity > 0, next
	}
	if s.Free == now {
		d.Remaining = min(1+s.Stored/p.interval, p.limit)
	}
	busy, unstored := exact.Since(now, s.Free), p.most-s.Stored
	d.ResetAfter = exact.Plus(busy, unstored)
	return d, s, nil
}

// at returns the state at now: it stores the time that was unused until then.
func (p Pacer) at(s State, now int64) State {
	if s == (State{}) {
		return State{now, p.most}
	}
	s.Stored = min(max(s.Stored, 0), p.most)
	if s.Free < now {
		s.Stored += min(exact.Since(s.Free, now), p.most-s.Stored)
		s.Free = now
	}
	return s
}

// take returns the state after a quantity was taken. ok reports whether it fits int64 nanoseconds.
func (p Pacer) take(s State, quantity int64) (next State, ok bool) {
	cost, ok := exact.Mul(quantity, p.interval)
	if !ok {
		return s, false
	}
	stored := min(cost, s.Stored)
	cost -= stored
	if p.warmup > 0 {
		again := p.costStored(s.Stored, stored)
		if cost > math.MaxInt64-again {
			return s, false
		}
		cost += again
	}
	next = State{s.Free + cost, s.Stored - stored}
	return next, next.Free >= s.Free
}

// costStored returns the cost of taking some of the stored time while the pacer warms up: the area below the
// line in the package's drawing.
func (p Pacer) costStored(stored, taken int64) int64 {
	above := max(stored-p.warmup/2, 0)
	steep := min(above, taken)
	extra, _, _ := exact.MulDiv(2*steep, 2*above-steep, p.warmup)
	return taken + extra
}
