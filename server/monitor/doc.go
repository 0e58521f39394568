// Package monitor shows every command to the connections that sent MONITOR.
//
// Invariants: all monitors see the commands in one order. Administrative commands and
// passwords are never shown.
//
// Locks: Feed.mu guards the list of monitors and makes the order. It is the innermost lock.
package monitor
