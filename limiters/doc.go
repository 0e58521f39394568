// Package limiters keeps limits in keys: a limiter with its numbers decides about the
// state that one key of the store holds.
//
// The arithmetic is that of the pure packages gcra, window, slidinglog, pace and lease,
// which know numbers only. A file here says how the state of one limiter lies in a key:
//
//	throttle.go   GCRA (CL.THROTTLE, CL.CHARGE, GCRA, THROTTLE): the key holds a TAT
//	window.go     fixed window (CL.WINDOW): the key holds a counter and expires at the window's end
//	sliding.go    sliding window (CL.SLIDING): two counters in one integer
//	log.go        sliding log (CL.LOG): a sorted set of times
//	pace.go       pacing (CL.PACE): two integers in a string
//	lease.go      concurrency (CL.ACQUIRE): a sorted set of holders and lease ends
//
// Every limiter takes the same three steps ([Limiter]): Find the entry of a key, Decide
// without a change, Apply what was decided. So several limits can be all or nothing
// (all.go): all decide, then all apply or none. args.go reads a limiter's arguments.
//
// Package limiters/rules gives limits a name.
//
// Invariants: Decide changes nothing. Apply cannot fail. An error means that no state changed.
// The package takes no locks: the caller's transaction holds the partition of each key.
package limiters
