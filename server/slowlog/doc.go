// Package slowlog keeps commands that took long (SLOWLOG) and spikes of latency (LATENCY).
//
//	log.go     thresholds, the log, how an entry is made
//	events.go  latency events and their spikes
//
// Invariants: the log has at most slowlog-max-len entries, an event at most 160 spikes.
//
// Locks: Log.mu guards the log and the events. It is an innermost lock.
package slowlog
