// Package window decides whether a request may pass by counting in windows of time, as a pure
// function of (counts, now, window, quantity). It knows no clock, no key, no byte and no
// lock, as package gcra beside it: the caller reads the time, keeps one or two counts, and
// writes back what the decision tells it to.
//
// # The algorithms
//
// [Fixed] allows limit actions in a window, and as many in the next. It is the cheapest and
// easiest to tell, and lets up to twice the limit through around the boundary of two windows.
// Its windows begin with the millisecond of the first action, so that an idle key has none;
// or at the multiples of the period since the Unix epoch: the minutes, hours and days of UTC.
//
// [Sliding] allows what the windows at those multiples say of any period between them: the
// current count, and of the previous one the part whose time is less than a period ago, as if
// its actions had come evenly, rounded down:
//
//	used = current + previous * (period - elapsed) / period
//
// With 7 a minute, 5 of them in the previous minute and 3 in this one, of which 18 s have
// elapsed, that is 3 + 5 * 42 / 60 = 6.5, so 6: one more may pass. What was counted in windows
// of another period counts in full until they would have ended, unless they end as two of this
// period do: then nothing tells them apart.
//
// Periods are whole milliseconds, as a window's end is the expiry of a key. Within them time
// is exact to the nanosecond, and no input panics, wraps or loses precision.
//
// # Sources
//
// Redis, "INCR, pattern: rate limiter", for fixed windows; Cloudflare, "How we built rate
// limiting capable of scaling to millions of domains" (2017), for sliding ones.
package window
