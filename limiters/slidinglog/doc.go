// Package slidinglog decides whether a request may pass, by a log of the requests before it.
//
// It is a pure function of (log, now, limit, quantity). The caller reads the clock, keeps the log, and
// changes it as the decision says. The package knows no clock, no key, no bytes and no lock.
//
// # The algorithm
//
// The log has an entry for each request that passed: its time and its quantity. An entry counts for one
// period:
//
//	counts  = now < time + period
//	limited = sum of the quantities that count + quantity > limit
//
// A request that passes gets an entry. So no more than limit pass in any period, wherever the period begins,
// and no request is refused without need. The log is exact, but it needs memory for each request.
//
// # Options
//
//   - Gap: a request passes only if the latest entry is at least gap old.
//   - Strict: a limited request gets an entry, too. A client that does not wait stays limited. A strict
//     log keeps at most its newest limit requests, because older ones change no decision.
//   - Resolution: requests in the same multiple of resolution since the epoch share one entry, with the sum of their
//     quantities and the time of the last one. The log is short, and still never lets more than limit pass in a period.
//     A request counts too long by at most resolution.
//
// # The files
//
//	log.go       Log, its options and entries, and the decision
//	decide.go    Decide, and Charge for a cost that is known only afterwards
//	settle.go    Settle, for a cost that was an estimate
//	lease.go     Lease, for requests that are spent later
//
// Invariants: a request that passes never makes more than limit count. No input panics or overflows.
//
// There are no locks.
//
// # Sources
//
// Peter Hayes, "Better Rate Limiting With Redis Sorted Sets" (ClassDojo, 2015). Its library
// rolling-rate-limiter is strict.
package slidinglog
