// Package window decides whether a request may pass, by counting requests in windows of time.
//
// It is a pure function of (counts, now, window, quantity). The caller reads the clock, keeps one or two
// counts, and stores what the decision says. The package knows no clock, no key, no bytes and no lock.
//
// # Fixed windows
//
// [Fixed] allows limit requests in each window. It is the cheapest algorithm and the easiest to explain.
// Around the boundary of two windows it lets up to twice the limit pass. A window begins in one of three
// ways:
//
//   - with the millisecond of its first request, so that an idle key has no window;
//   - aligned, at the multiples of the period since the Unix epoch: the minutes, hours and days of UTC;
//   - with the days, weeks, months or years of a calendar that the caller gives.
//
// # Sliding windows
//
// [Sliding] keeps the counts of the current and of the previous aligned window. It estimates how many
// requests passed in the last period, as if those of the previous window had come evenly. The result is
// rounded down:
//
//	used = current + previous * (period - elapsed) / period
//
// An example: the limit is 7 a minute, 5 passed in the previous minute, 3 in this one, and 18 s of it have
// elapsed. Then used = 3 + 5 * 42 / 60 = 6.5, rounded down 6: one more request may pass.
//
// If the period of a key changes, its old counts count in full until their End. A request that is counted
// before takes them into the window of the new period, which may end earlier or later. Only the End shows to which
// period the counts belong. If it is also the end of two windows of the new period, Sliding takes the counts
// for those of the new period.
//
// # The files
//
//	grid.go       rounding down to a multiple of the period
//	fixed.go      Fixed, and the decision that both kinds return
//	sliding.go    Sliding
//	settle.go     a real cost in the place of an estimate
//
// # Invariants
//
//   - A period is a whole number of milliseconds, because the end of a window is the expiry of a key.
//   - A request whose time is behind that of another one, by the lag at most, ends no window of that one.
//   - All other times are exact to the nanosecond. No input panics, overflows or loses precision.
//
// There are no locks.
//
// # Sources
//
// Fixed windows: Redis, "INCR, pattern: rate limiter". Sliding windows: Cloudflare, "How we built rate
// limiting capable of scaling to millions of domains" (2017).
package window
