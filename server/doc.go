// Package server stands between the wire and the commands. It has the client of each connection, the checks
// before a command, the locks around it and the counters after it.
//
//	server.go     the state that all clients share
//	client.go     one connection; it implements resp.Handler
//	batch.go      what the replies of a batch wait for
//	dispatch.go   Client.Handle: checks, queues or runs one command
//	admit.go      the checks before a command, in the order of Redis
//	refusals.go   errors of commands that must not run
//	rights.go     asks package acl what the user of the connection may run
//	users.go      the users of the configuration
//	httpguard.go  closes the connections of clients that speak HTTP
//	redirect.go   checks whether a command may run on this node of a cluster
//	slots.go      the slots of a command; MOVED, CLUSTERDOWN and READONLY
//	cluster.go    what the cluster tells the server: a new leader, messages of other nodes
//	execute.go    takes the locks, runs the command, replies with an error
//	effects.go    bounds what the changes of a transaction take
//	script_calls.go  counts the commands of a script at its end
//	blocking.go   commands that wait for keys, and who serves them
//	busy.go       waits for scripts that take long
//	timing.go     measures how long commands take
//	settings.go   CONFIG SET and CONFIG REWRITE
//	control.go    SHUTDOWN, CONFIG RESETSTAT
//	condition.go  loading, failed saves, failed logs
//	memory.go     maxmemory
//	follow.go     runs the commands of the server that this one follows
//	unkept.go     what that server sends and this one does not run; the position that a cluster keeps
//	move.go       whose turn it is
//	replay.go     runs the commands of a log that a Redis wrote
//
// Each concern with a state and a lock of its own has a folder: clients, blocked, pubsub, tracking,
// monitor, logins, rulelog, scripts, stats, slowlog. Package listeners is a part of pubsub and of tracking.
// Package report shows all of them in INFO and as metrics. Commands reach them through the interfaces of
// package commands.
//
// Invariants: only the goroutine that drives a session runs its commands. A command that returns an error
// has written nothing. All locks are free before the reply is sent.
//
// Locks: a command holds the partitions of its footprint while it runs (store.Tx). Inside these locks it
// takes the locks of the concerns. CONFIG SET holds settings.changing, the outermost lock. safety.conditions
// is held while the condition changes, and no other lock is taken inside it.
package server
