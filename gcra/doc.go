// Package gcra decides whether a request may pass, by the generic cell rate
// algorithm, as a pure function of (TAT, now, quota, quantity). It knows no
// clock, no key, no byte and no lock: the caller reads the time, keeps one
// int64 for each key, and writes back what the decision tells it to.
//
// # The algorithm
//
// A quota of count requests in period, with max_burst more at once, is two
// durations in nanoseconds:
//
//	interval  = period / count                 the emission interval: one request drips out of the bucket
//	tolerance = interval * (max_burst + 1)     the bucket's depth: a full burst
//
// All that is remembered is the TAT, the theoretical arrival time: the moment
// at which the quota will be full again. A TAT in the past, or none, is a full
// quota. A request for some quantity moves it forward, unless it would then lie
// further ahead than the bucket is deep:
//
//	new     = max(TAT, now) + interval * quantity
//	limited = now < new - tolerance
//
// Passing stores new and resets (is full again) after new - now. Being limited
// stores nothing, resets after TAT - now, and is worth another try after
// new - tolerance - now: then, and not a nanosecond before. A quantity above the
// burst can never pass, which is said as -1. What remains is
// (tolerance - reset) / interval.
//
// Say max_burst 4, 60 requests a minute: interval 1 s, tolerance 5 s. At 12:00:00
// five requests pass and move the TAT to 12:00:05. The sixth would move it to
// 12:00:06, and 12:00:06 - 5 s is later than now: limited, try again in 1 s, full
// in 5 s. At 12:00:03 the TAT is 2 s ahead, so (5 - 2) / 1 = 3 remain.
//
// # Edges
//
// No input panics, wraps or loses precision. A quota or a quantity which leaves
// int64 nanoseconds (292 years, or the year 2262) is an error naming its
// argument. A stored TAT may be anything, for any client can write an integer:
// at or before now it is a full quota; however far ahead, it is obeyed, so that
// the key stays limited until somebody deletes or refunds it, and only a
// quantity which would push it past int64 is an error. 0 means that nothing is
// stored, even when now is negative. Durations from a now before 1970 to such a TAT may
// exceed int64: they are reported as the greatest one.
//
// # Sources
//
// ITU-T I.371 and the ATM Forum's Traffic Management Specification 4.0, which
// define the GCRA as virtual scheduling; redis-cell, whose replies are the
// reference for rounding and order of checks; Brandur Leach, "Rate Limiting,
// Cells, and GCRA" (2015).
package gcra
