// Package gcra decides whether a request may pass, by the generic cell rate algorithm.
//
// It is a pure function of (TAT, now, quota, quantity). The caller reads the clock, keeps one int64 for each
// key, and stores what the decision says. The package knows no clock, no key, no bytes and no lock.
//
// # The algorithm
//
// A quota allows count requests in period, and max_burst more at once. It consists of two durations in
// nanoseconds:
//
//	interval  = period / count                 emission interval: one request comes back in this time
//	tolerance = interval * (max_burst + 1)     the time in which a full burst comes back
//
// The state is the TAT, the theoretical arrival time: the time at which the quota is full again. A TAT in
// the past, or none, is a full quota. A request moves the TAT forward by its quantity, unless the new TAT
// would be more than the tolerance ahead of now:
//
//	new     = max(TAT, now) + interval * quantity
//	limited = now < new - tolerance
//
// If the request passes, the new TAT is stored:
//
//	reset_after = new - now
//	retry_after = -1
//
// If the request is limited, nothing changes:
//
//	reset_after = TAT - now
//	retry_after = new - tolerance - now        -1 if quantity > max_burst + 1: it can never pass
//
// In both cases remaining = (tolerance - reset_after) / interval.
//
// An example: max_burst 4 and 60 requests a minute give interval 1 s and tolerance 5 s. At 12:00:00 five
// requests pass; the TAT is then 12:00:05. A sixth would move it to 12:00:06. 12:00:06 - 5 s is later
// than now, so it is limited: retry_after is 1 s, reset_after is 5 s. At 12:00:03 the TAT is 2 s ahead,
// and (5 - 2) / 1 = 3 requests remain.
//
// # The files
//
//	quota.go     Quota and the arguments that make one
//	decide.go    Decide, and Charge for a cost that is known only afterwards
//	settle.go    Settle, for a cost that was an estimate
//	lease.go     Lease, for requests that are spent later
//	convert.go   Convert, for a TAT that was counted at another rate
//
// # Invariants
//
//   - No input panics, overflows or loses precision.
//   - A quota or a quantity beyond int64 nanoseconds (292 years, or the year 2262) is an error, which names its
//     argument.
//   - A stored TAT may be any integer, because a client can write one. A TAT at or before now is a full quota. A
//     TAT far ahead keeps its key limited until a client deletes or refunds it.
//   - A TAT of 0 means that nothing is stored, even if now is negative.
//   - If now is before 1970, a duration may exceed int64. It is then the largest int64.
//
// There are no locks.
//
// # Sources
//
// ITU-T I.371 and the ATM Forum's Traffic Management Specification 4.0 define the GCRA as virtual scheduling.
// redis-cell is the reference for rounding and for the order of checks. Brandur Leach, "Rate Limiting,
// Cells, and GCRA" (2015).
package gcra
