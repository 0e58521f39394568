// Package stats counts what the server does: calls of commands and how long they take, errors,
// decisions of limiters, connections, rates per second and the keys that are limited most often.
//
//	commands.go  calls, durations and decisions of each command
//	durations.go buckets of durations, percentiles
//	totals.go    totals of the server, errors by code
//	rates.go     means per second
//	limited.go   the keys that limiters refuse most often (CL.TOP)
//
// Invariants: a counter only grows until CONFIG RESETSTAT. Memory is bounded, whatever clients
// send.
//
// Locks: most counters are atomic. Errors.mu, Rates.mu and one lock for each shard of Limited
// guard their own structs; all of them are innermost locks.
package stats
