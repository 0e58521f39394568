// Package slowlog keeps slow commands (SLOWLOG) and latency spikes (LATENCY).
//
//	log.go     the thresholds, the log and its entries
//	events.go  latency events and their spikes
//
// Invariants: the log has at most slowlog-max-len entries, an event at most 160 spikes.
//
// Locks: Log.mu guards the log and the events. It is an innermost lock.
package slowlog
