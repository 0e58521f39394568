// Package pace decides how long a request is to be held so that requests leave at a steady
// rate, as a pure function of (state, now, pacer, quantity). It knows no clock, no key, no
// byte and no lock, as package gcra beside it: the caller reads the time, keeps two numbers
// for each key, holds the request, and writes back what the decision tells it to.
//
// # The algorithm
//
// It is that of Guava's RateLimiter, in whole nanoseconds instead of doubles. What is
// remembered is when the next request is free to go, and how much time has passed unused
// before that. A request is held until then, whatever its quantity: what it costs is paid by
// the one that follows.
//
//	hold = free - now
//	free = free + cost of quantity
//
// While free is past, unused time is stored, a nanosecond each nanosecond, up to a maximum.
// A quantity costs quantity * interval, of which unused time pays what it can:
//
// Bursty, the maximum is max_burst * interval, and stored time costs nothing: after a pause
// max_burst + 1 requests go at once. With a max_burst of 0 this is a leaky bucket as a queue.
//
// Warming up, the maximum is the warmup time W, and stored time costs time again, the more
// the longer the pause was: a request costs three intervals when all of W is stored (the cold
// factor), one interval when half of it is, and in between along a straight line. So what is
// cold, a cache or a pool, takes W to come to its full rate.
//
//	          cost of a nanosecond of quantity
//	3 ┤                  ╱
//	  │               ╱
//	1 ┼────────────╱
//	  └────────────┴─────┴──  stored
//	  0           W/2    W
//
// Somebody unknown is as after a long pause: all is stored. (A RateLimiter that was just
// created has nothing stored yet, unless it warms up.)
//
// # Edges
//
// No input panics, wraps or loses precision. A rate or a quantity which leaves int64
// nanoseconds is an error naming its argument.
//
// # Sources
//
// Guava, SmoothRateLimiter: https://github.com/google/guava; testdata holds what the real one
// answers, and the program that recorded it.
package pace
