// Command cellserver-envoy is a rate limit service for Envoy, with the files, variables and answers
// of the service that its users know.
//
// main.go reads the arguments. check.go checks files. run.go makes the parts of the service and runs
// them. store.go chooses the store, source.go the source of the rules. metrics.go sends metrics,
// tracing.go traces. log.go makes the log.
//
// Invariants: a wrong variable or argument ends the process before it listens. All clocks are read here.
//
// It has no locks.
package main
