package slidinglog

import (
	"math"

	"cellserver/internal/exact"
)

// mostCounted is the largest limit of a log without a resolution whose requests may be leased. A lease makes
// its entries shared, so each request adds all entries up.
const mostCounted = 10_000

// LongestLease returns how long a lease may last, in ns: a twentieth of the period. Its requests count for so
// much longer than others.
func (l Log) LongestLease() int64 { return l.period / 20 }

// Leasable reports whether requests of the log may be leased. The requests of a lease are spent at any
// time, so a log with a gap cannot decide about them at once. A strict log counts what it refuses. A long log
// needs a resolution.
func (l Log) Leasable() bool {
	return l.Gap == 0 && !l.Strict && (l.Resolution > 0 || l.limit <= mostCounted)
}

// shortestLease is the shortest lease, in ns. The caller rounds until to microseconds. A holder stops a
// two-thousandth of the lease early, which must be more.
const shortestLease = 1_999_000

// Lease counts up to want requests at once, as one shared entry at the end of a lease. Its holder may spend
// the requests at any time until then. The caller adds d.Add requests to the entry that [Find] finds for that
// time, or as a new one. The decision is Limited if nothing is granted, although something is wanted.
func Lease[E Entries](l Log, entries E, now, until, want int64) (d Decision, err error) {
	v, err := look(l, entries, now, want)
	switch {
	case err != nil:
		return Decision{}, err
	case until > math.MaxInt64-l.period:
		return Decision{}, errTooFar
	}
	v.shared = true
	granted := min(want, v.limit-min(v.used, v.limit))
	if until-now < shortestLease {
		granted, want = 0, 0
	}
	if granted == 0 {
		return v.decide(min(want, 1)), nil
	}
	d = v.decide(granted)
	d.Join = false
	d.ResetAfter = max(d.ResetAfter, exact.Since(now, exact.Plus(until, l.period)))
	return d, nil
}
