// Package lease decides whether one more holder may get a permit, by leases that end by themselves.
//
// It is a pure function of (leases, now, limit, holder). The caller reads the clock, keeps the leases, and
// changes them as the decision says. The package knows no clock, no key, no bytes and no lock.
//
// # The algorithm
//
// A semaphore has limit permits. A holder keeps its permit until it returns it, or until its lease ends:
//
//	taken   = number of leases with now < end
//	limited = taken >= limit, and the holder has no lease that counts
//	end     = now + lease, rounded down to a microsecond
//
// So the permit of a crashed holder comes back, and a slow holder renews its lease by acquiring again. At the
// nanosecond of its end a lease no longer counts.
//
// lease.go holds everything.
//
// Invariants: a holder gets a permit only while fewer than limit leases count. No input panics or overflows.
//
// There are no locks.
//
// # Sources
//
// Cary G. Gray and David R. Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for Distributed File
// Cache Consistency" (SOSP 1989). Josiah Carlson, "Redis in Action" (2013), 6.3.1, fair semaphores in sorted
// sets.
package lease
