// Package clients is the registry of connections: what other connections may see of a client,
// and what they may do to it.
//
//	entry.go     one client, as others see it
//	registry.go  all clients: CLIENT LIST, KILL, UNBLOCK
//	pause.go     CLIENT PAUSE
//
// Invariants: an id is never used twice. What others see of a client is its state as of its
// last batch. CLIENT UNPAUSE, CLIENT UNBLOCK and DEBUG CLOCK first change the state that a client
// waits for, and then wake the client.
//
// Locks: Registry.mu guards the map of clients. Entry.mu guards what a client has published. No
// code holds both, and both are innermost locks.
package clients
