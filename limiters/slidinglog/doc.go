// Package slidinglog decides whether a request may pass by a log of the ones before it, as a
// pure function of (log, now, limit, quantity). It knows no clock, no key, no byte and no
// lock, as package gcra beside it: the caller reads the time, keeps the log, and changes it
// as the decision says.
//
// # The algorithm
//
// The log has an entry for what passed: when, and how many. An entry counts until one period
// after it, exclusive: at that nanosecond it is forgotten. A request passes if what counts and
// its quantity are limit at most, and then has an entry of its own. So in no period, wherever
// it begins, do more than limit pass, and nothing is refused that would not exceed it: the
// log is exact, and the price is its length.
//
// With a gap, a request passes only if the latest entry is at least as long ago. A strict log
// has entries of requests that were limited, too: who does not wait stays limited until they
// pause. It keeps no more than the newest limit of them, for older ones change no decision.
//
// With a resolution there is one entry for all that passed in the same multiple of it since
// the epoch, with their count and the time of the last one: the log stays short, still never
// lets through more than limit in a period, and forgets up to resolution late.
//
// # Sources
//
// Peter Hayes, "Better Rate Limiting With Redis Sorted Sets" (ClassDojo, 2015), and its
// rolling-rate-limiter, which is strict.
package slidinglog
