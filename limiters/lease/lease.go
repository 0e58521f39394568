package lease

import (
	"errors"
	"math"
	"sort"
)

const microsecond = 1_000

// The errors name the argument that is wrong.
var (
	errLimit  = errors.New("limit must be positive")
	errLease  = errors.New("lease must be at least a microsecond")
	errTooFar = errors.New("lease is too long: it would not end before the year 2262")
)

// never is the RetryAfter of a request that passed.
const never = -1

// Nobody is the index of a holder without a lease.
const Nobody = -1

// Semaphore has limit permits, each for lease nanoseconds. New makes one.
type Semaphore struct{ limit, lease int64 }

// New returns a semaphore of limit permits, at least one, each for lease nanoseconds, at least 1,000. An
// error names the argument that is out of range.
func New(limit, lease int64) (Semaphore, error) {
	switch {
	case limit <= 0:
		return Semaphore{}, errLimit
	case lease < microsecond:
		return Semaphore{}, errLease
	}
	return Semaphore{limit, lease}, nil
}

// Leases are the ends of present and past leases, in ns since the epoch, the earliest first.
type Leases interface {
	Len() int
	End(i int) int64
}

// Decision is the answer to one request. Times are in ns.
type Decision struct {
	Limited bool // no permit is free; otherwise the holder's lease ends at End

	Ended int   // number of leases that have ended; they are the first ones
	End   int64 // ns since the epoch

	Limit      int64 // permits
	Remaining  int64 // permits that are free, 0 to Limit
	RetryAfter int64 // time until a permit is free if no holder returns one; -1 if one was acquired
	ResetAfter int64 // time until all are free if no holder returns one
}

// Acquire answers a request for a permit at now, in ns since the epoch. mine is the index of the holder's
// own lease, or Nobody. A lease that has not ended is renewed, even if the limit is now lower.
func Acquire[L Leases](s Semaphore, held L, mine int, now int64) (Decision, error) {
	if now > math.MaxInt64-s.lease {
		return Decision{}, errTooFar
	}
	n := held.Len()
	d := Decision{Limit: s.limit, RetryAfter: never, Ended: Ended(held, now)}
	taken := int64(n - d.Ended)
	renews := mine >= d.Ended
	latest := int64(math.MinInt64)
	if last := n - 1; last >= d.Ended {
		if renews && last == mine {
			last--
		}
		if last >= d.Ended {
			latest = held.End(last)
		}
	}
	if !renews && taken >= s.limit {
		d.Limited = true
		d.RetryAfter = held.End(d.Ended+int(taken-s.limit)) - now
		d.ResetAfter = latest - now
		return d, nil
	}
	d.End = floorMicros(now + s.lease)
	if !renews {
		taken++
	}
	d.Remaining = s.limit - min(taken, s.limit)
	d.ResetAfter = max(latest, d.End) - now
	return d, nil
}

// Ended returns the number of leases that have ended.
func Ended[L Leases](held L, now int64) int {
	n := held.Len()
	if n == 0 || held.End(0) > now { // as a rule
		return 0
	}
	return sort.Search(n, func(i int) bool { return held.End(i) > now })
}

// floorMicros rounds ns down to whole microseconds.
func floorMicros(ns int64) int64 {
	r := ns % microsecond
	if r < 0 {
		r += microsecond
	}
	return ns - r
}
