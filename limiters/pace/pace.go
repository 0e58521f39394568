package pace

import (
	"errors"
	"math"

	"cellserver/internal/exact"
)

// The errors name the argument that is wrong.
var (
	errMaxBurst         = errors.New("max_burst must not be negative")
	errCount            = errors.New("count must be positive")
	errPeriod           = errors.New("period must be positive")
	errCountTooLarge    = errors.New("count is too large for this period: less than a nanosecond between two requests")
	errMaxBurstTooLarge = errors.New("max_burst is too large for this count and period: a burst would need over 292 years to come back")
	errMaxWait          = errors.New("maxwait must not be negative")
	errWarmup           = errors.New("warmup must not be negative")
	errQuantity         = errors.New("quantity must not be negative")
	errTooFar           = errors.New("quantity reaches too far: the next request would not be free to go before the year 2262")
)

// never is the RetryAfter of a request which passed.
const never = -1

// Forever is the MaxWait of a pacer that never refuses.
const Forever = math.MaxInt64

// Pacer is a rate, what may be stored, and how long a request may be held. New makes it.
type Pacer struct {
	interval int64 // ns from one request to the next, at least 1
	most     int64 // ns of unused time that are stored at most
	maxWait  int64 // ns
	warmup   int64 // ns; 0 for bursty
	limit    int64 // requests that go at once after a long pause
}

// New lets count requests go in period nanoseconds, and after a pause max_burst more at once,
// and refuses those that it would hold for more than maxWait nanoseconds. With a warmup
// above 0, in nanoseconds, it takes that to come to its full rate, and max_burst is of no
// account.
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

// State is what is remembered: when the next request is free to go, in ns since the epoch,
// and how much unused time there was then, in ns. The zero State remembers nothing.
type State struct{ Free, Stored int64 }

// Decision is the answer to one request. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // the new state is to be stored, or the key to be deleted if ResetAfter is 0

	Hold       int64 // for how long a request that passes is to be held
	Limit      int64 // requests that go at once after a long pause
	Remaining  int64 // requests that would go at once now, 0 to Limit
	RetryAfter int64 // the least wait after which the same request passes; -1 if it passed
	ResetAfter int64 // until all is as after a long pause
}

// Decide answers a request for quantity at now, in ns since the epoch, and returns the state
// to store if the decision says Changed. A quantity of 0 decides and changes nothing.
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

// at is the state at now: what was unused until then is stored.
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

// take is the state after a quantity was taken; ok says whether it fits.
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

// costStored is what taking some of the stored time costs while it warms up: the area below
// the line of the package's picture.
func (p Pacer) costStored(stored, taken int64) int64 {
	above := max(stored-p.warmup/2, 0)
	steep := min(above, taken)
	extra, _, _ := exact.MulDiv(2*steep, 2*above-steep, p.warmup)
	return taken + extra
}
