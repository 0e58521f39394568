// Package lease decides whether one more may be at work now, as a pure function of (leases,
// now, limit, holder). It knows no clock, no key, no byte and no lock, as package gcra beside
// it: the caller reads the time, keeps the leases, and changes them as the decision says.
//
// # The algorithm
//
// A semaphore has limit permits. Who acquires one holds it until they give it back, or until
// its lease ends: so a holder that crashed frees itself, and one that is slow renews its lease
// by acquiring again. A lease holds before its end and no longer: at that moment another may
// have the permit. Ends are whole microseconds, rounded down.
//
// # Sources
//
// Cary G. Gray and David R. Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for
// Distributed File Cache Consistency" (SOSP 1989); Josiah Carlson, "Redis in Action" (2013),
// 6.3.1, fair semaphores in sorted sets.
package lease
