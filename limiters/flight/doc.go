// Package flight keeps adaptive limits in keys: how many calls of a service may be under way (CL.ENTER).
//
// Package limiters/adaptive finds a limit from the latencies of calls, and knows numbers only. A [Flight]
// is one such limit in a transaction:
//
//	the holders     sorted sets as those of CL.ACQUIRE: that of the key, and one for each partition
//	the algorithm   a string beside them, which changes once a window
//	the window      a [adaptive.Meter] that the caller brings, and keeps afterwards
//
// CL.ENTER reads the holders and the state. The window remembers the limit. So CL.LEAVE reads the state only
// at the end of a window, for partitions, and for a holder that it does not find.
//
// # Files
//
//	flight.go   begins a request, counts calls, and stores the state
//	enter.go    a caller arrives
//	leave.go    a call has ended
//	show.go     CL.LIMIT
//	args.go     the arguments of CL.ENTER and CL.LEAVE
//	state.go    the string, and the names of the keys
//	shares.go   partitions
//
// All keys of a limit have one slot. A key whose braces would give its state another slot is refused.
//
// Invariants: an error changes nothing. A value that no limit has left is an error, and not a state. At
// most as many calls as the limit are under way, and of each partition its share more.
//
// The package takes no locks: the caller's transaction holds the partition of the key.
package flight
