// Package server is what lives between the wire and a command: the client of each connection,
// the checks before a command, the locks around it and the counts after it.
//
//	server.go     what all clients share, and how it is wired
//	client.go     one connection; it implements resp.Handler
//	dispatch.go   Client.Handle: one command, or queueing inside MULTI
//	admit.go      the checks before a command, in Redis's order
//	httpguard.go  closes the connections of clients that speak HTTP
//	execute.go    locks, run, reply with an error
//	timing.go     how long commands take
//	settings.go   CONFIG SET and CONFIG REWRITE
//	condition.go  loading, failed saves, failed logs
//	memory.go     maxmemory
//	replay.go     commands of a log that a Redis wrote
//
// Each concern with a state and a lock of its own has a folder: clients, pubsub, tracking,
// monitor, stats, slowlog; report shows them (INFO, metrics). The package commands knows them
// by narrow interfaces.
//
// Invariants: the goroutine that drives a session alone runs its commands. A command that
// returns an error has written nothing. Locks are free before the reply leaves.
//
// Locks: a command holds the partitions of its footprint while it runs (store.Tx). The locks of
// the concerns are taken inside it. Settings.changing is held during CONFIG SET and is the
// outermost lock.
package server
