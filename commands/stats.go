package commands

import "sync/atomic"

// stats counts the calls of one command, for INFO commandstats.
type stats struct {
	calls    atomic.Int64
	nanos    atomic.Int64 // time spent in them
	rejected atomic.Int64 // refused before they ran
	failed   atomic.Int64 // answered with an error
}

// totals counts what happened to the whole server since its start, for INFO.
type totals struct {
	connections atomic.Int64 // accepted
	rejected    atomic.Int64 // refused for maxclients
	commands    atomic.Int64
	changes     atomic.Int64 // effects since the last save
	panics      atomic.Int64
}
