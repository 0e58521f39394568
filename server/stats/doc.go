// Package stats counts the work of the server, for INFO, metrics, LATENCY and CL.TOP.
//
//	commands.go   calls, durations and decisions of each command
//	durations.go  histograms of durations, percentiles
//	totals.go     totals of the server, errors by code
//	rates.go      means per second
//	limited.go    the keys that limiters refuse most often (CL.TOP)
//
// Invariants: a counter only grows until CONFIG RESETSTAT. Memory is bounded, whatever clients
// send.
//
// Locks: most counters are atomic. Errors.mu, Rates.mu and one lock for each shard of Limited
// guard their own structs. All of them are innermost locks.
package stats
