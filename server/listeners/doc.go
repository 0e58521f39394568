// Package listeners maps names to the connections that listen to them: patterns of channels
// (PSUBSCRIBE) or prefixes of keys (CLIENT TRACKING BCAST).
//
// Invariants: the names are sorted, so their messages have one order. Each name has a connection.
// The package takes no locks: the owner of a List guards it.
package listeners
