// Package clients is the registry of connections. Each client publishes a part of its state there
// for other connections: CLIENT LIST, KILL, UNBLOCK and PAUSE.
//
//	entry.go     one client, as other connections see it
//	registry.go  all clients: CLIENT LIST, KILL, UNBLOCK
//	holders.go   the clients that lease units: CL.LEASE
//	pause.go     CLIENT PAUSE
//
// Invariants: no two clients have the same id. The published state of a client is its state at the
// end of its last batch. CLIENT UNPAUSE, CLIENT UNBLOCK and DEBUG CLOCK first change the state that a
// client waits for, and then wake the client.
//
// Locks: Registry.mu guards the map of clients. Entry.mu guards what a client has published. No
// code holds both, and both are innermost locks.
package clients
