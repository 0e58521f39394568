// Package monitor sends every command to the connections that sent MONITOR.
//
// Invariants: all monitors get the commands in the same order. They never get administrative
// commands and passwords.
//
// Locks: Feed.mu guards the list of monitors, and orders the commands. It is an innermost lock.
package monitor
