// Package rules decides by rules. All limits of a rule decide together: all pass, or none does. Package
// limiters/ruleset has the rules themselves.
//
//	check.go  CL.CHECK: one request to a rule
//	plan.go   which keys a request reads
//	prefetched.go   plans of the next requests of a pipeline
//	question.go   CL.MCHECK: a request to several rules as values, and its answer
//	checks.go how it decides
//	recount.go   CL.RULE OVERRIDE: what was counted counts at the new rate
//	scopes.go the keys of a request, one for each scope of its rule
//	reset.go  CL.RULE RESET: a fresh start for keys
//	explain.go   CL.EXPLAIN: the numbers and the state of every limit
//	reserve.go   CL.RESERVE and CL.SETTLE
//	bucket.go the buckets of reservations
//	lease.go  CL.LEASE: units in advance
//	release.go   giving back reservations that no client settles
//	trial.go  CL.RULE TRY: what other numbers would have refused
//	dryrun.go deciding about copies, while reservations have to be given back
//
// Invariants: a request decides by the rules of one moment. A request that ends in an error has changed
// nothing.
//
// Locks: replays.mu is held during a replay, which has a store of its own. The caller's transaction holds the
// partitions of all keys of a request.
package rules
