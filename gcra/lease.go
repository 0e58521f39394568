package gcra

import "cellserver/internal/exact"

// Lease counts up to want requests at once, as if all of them came at the end of a lease, length ns after
// now. The holder of the lease may spend them at any time until then:
//
//	new = max(TAT, now + length) + granted * interval    for the largest granted with new <= now + tolerance
//
// So no window admits more than with [Quota.Decide]: each request counts from a time at which it is spent
// already. Another request sees a TAT that is up to length too late. The length should therefore be a
// small part of the tolerance.
//
// The decision is Limited if nothing is granted, although something is wanted. RetryAfter is then the wait
// until a lease of this length gets one request. It is -1 if none ever does. Neither want nor length is
// negative.
func (q Quota) Lease(tat, now, length, want int64) (granted int64, d Decision, err error) {
	if q.interval == 0 {
		return 0, Decision{}, ErrZeroRate
	}
	start := exact.Plus(now, length)
	if tat != 0 {
		start = max(start, tat)
	}
	latest := exact.Plus(now, q.tolerance)
	if latest > start {
		granted = min((latest-start)/q.interval, want)
	}
	d = Decision{TAT: tat, Limit: q.limit, RetryAfter: never}
	full := now // the time at which the quota is full again
	switch {
	case granted > 0:
		full = start + granted*q.interval
		d.TAT, d.Changed = full, true
	case tat != 0:
		full = max(tat, now)
	}
	if granted == 0 && want > 0 {
		d.Limited = true
		if length <= q.tolerance-q.interval {
			d.RetryAfter = exact.Since(latest, exact.Plus(start, q.interval))
		}
	}
	d.ResetAfter = exact.Since(now, full)
	d.Remaining = max(0, (q.tolerance-d.ResetAfter)/q.interval)
	return granted, d, nil
}

// secondOfLease is the longest lease, in ns. See [Quota.LongestLease].
const secondOfLease = nanosPerSecond

// LongestLease returns how long a lease may last, in ns: a quarter of the tolerance, and at most one second.
// So others miss a quarter of the burst at most. One bound for the leases of all quotas also bounds what
// [GivenBack] keeps.
func (q Quota) LongestLease() int64 { return min(q.tolerance/4, secondOfLease) }

// GivenBack returns the time of a request whose quantity [Settle] may give back in the place of the rest of
// a lease. The lease was granted at a time, and lasts for length ns.
//
// Without the lease, the TAT would be earlier by n intervals at first. Each later request can lift the
// earlier TAT to its own stamp, and so bring both nearer. Stamps are at most the longest lease after now,
// which may be that of another quota with the same key. The stamp of the lease was at + length. So all lifts
// together are at most
//
//	now + longest lease - (at + length)
//
// Settle keeps this time, as the age of the request.
func GivenBack(at, length int64) int64 {
	return exact.Plus(at, min(length-secondOfLease, 0))
}
