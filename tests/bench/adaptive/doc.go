// Package adaptive simulates a service and its callers, and shows what each limiter does for them.
//
// A service has workers and one queue. Its callers ask for permits, and give up after a second. The time is
// that of the simulation, so ten minutes take seconds. The limiters are the commands of a real server in
// this process.
//
//	service.go    the workers and their queue
//	run.go        the callers, the changes of the service, and the figures of each second
//	command.go    the limiters
//	scenarios.go  the scenarios and their figures
//	compare.go    the table of the documentation
//
// Invariants: a simulation with the same seed has the same figures. There are no locks: it is one
// goroutine.
package adaptive
