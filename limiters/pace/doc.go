// Package pace decides how long to hold a request so that requests leave at a steady rate.
//
// It is a pure function of (state, now, pacer, quantity). The caller reads the clock, keeps two numbers for
// each key, holds the request, and stores what the decision says. The package knows no clock, no key, no
// bytes and no lock.
//
// # The algorithm
//
// It is the algorithm of Guava's RateLimiter, in whole nanoseconds instead of doubles. The state is two
// numbers: free, the time at which the next request may go, and stored, the unused time before that. A
// request is held until free. Its own quantity does not matter: the next request waits for the cost of this
// one:
//
//	hold = free - now
//	free = free + cost of the quantity
//
// While free is in the past, stored grows by one nanosecond each nanosecond, up to a maximum. A quantity
// costs quantity * interval. Stored time pays for it first, in one of two ways:
//
//   - Bursty: the maximum is max_burst * interval, and stored time costs nothing. After a pause, max_burst + 1
//     requests go at once. With a max_burst of 0 this is a leaky bucket as a queue.
//   - Warming up: the maximum is the warmup time W, and stored time costs time again. A request costs three intervals
//     if all of W is stored (the cold factor), and one interval if at most half of W is. Between these two points the
//     cost grows linearly. So a cold cache or a cold pool takes W to reach its full rate.
//
// The cost of a nanosecond of quantity, while warming up:
//
//	3 ┤                  ╱
//	  │               ╱
//	1 ┼────────────╱
//	  └────────────┴─────┴──  stored
//	  0           W/2    W
//
// An unknown key starts as after a long pause: with the maximum stored. Guava's RateLimiter does so only if
// it warms up.
//
// pace.go holds everything.
//
// Invariants: no input panics, overflows or loses precision. A rate or a quantity beyond int64 nanoseconds
// is an error, which names its argument. There are no locks.
//
// # Sources
//
// Guava, SmoothRateLimiter: https://github.com/google/guava. testdata holds recorded answers of Guava, and
// the program that recorded them.
package pace
