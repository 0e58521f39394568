// Package listeners keeps which connections listen to which names: patterns of channels
// (PSUBSCRIBE) or prefixes of keys (CLIENT TRACKING BCAST).
//
// Invariants: names are sorted and each has a connection. Messages leave in the order of names.
// The package takes no locks: the owner of a List guards it.
package listeners
