// Package limiters keeps limits in keys: a limiter with its parameters decides about the
// state that one key of the store holds.
//
// The arithmetic is in the pure packages gcra, window, slidinglog, pace and lease, which
// know numbers only. Each file stores the state of one limiter in a key:
//
//	throttle.go   GCRA (CL.THROTTLE, CL.CHARGE, GCRA, THROTTLE): the key holds a TAT
//	window.go     fixed window: the key holds a counter and expires with the window
//	counter.go    reads such a counter
//	giveback.go   CL.WINDOW and CL.MWINDOW: charges, and what comes back
//	sliding.go    sliding window (CL.SLIDING): two counters in one integer
//	log.go        sliding log (CL.LOG): a sorted set of times
//	pace.go       pacing (CL.PACE): two integers in a string
//	lease.go      concurrency (CL.ACQUIRE): a sorted set of holders and lease ends
//	verdict.go    BLOCK and ALLOW of rules: no state
//	lessor.go     units that a client takes in advance (CL.LEASE)
//	spend.go      which requests units of a lease may answer
//	ledger.go     by which numbers the TATs of a rule were counted
//
//	limiter.go    Limiter, and Limit: a limiter that a rule may have
//	readers.go    the limiters of rules, by their names
//	scratch.go    the memory of one request
//	errors.go     errors of the pure limiters as error replies
//
// Every limiter takes the same three steps ([Limiter]): Find the entry of a key, Decide without a change,
// Apply the decision. So several limits can consume a quantity together or not at all (all.go): first all
// limits decide. Then all limits apply their decisions if no limit refuses. args.go parses the arguments of
// a limiter, and dates.go the words of the calendar.
//
// Package limiters/flight keeps limits that the server finds (CL.ENTER). Its holders are those of lease.go.
//
// Package limiters/ruleset gives limits a name: rules. Package limiters/rules decides by them.
//
// Invariants: Decide changes nothing. Apply cannot fail. An error means that no state changed.
// The package takes no locks: the caller's transaction holds the partition of each key.
package limiters
