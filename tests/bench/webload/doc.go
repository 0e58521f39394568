// Package webload sends requests over HTTP and measures their replies.
//
//	load.go        Drive: sends a load from one goroutine, and Result
//	connection.go  one connection: what it has sent, and its replies
//	poll_*.go      which connections have bytes to read
//
// Invariant: the load never sleeps. So no server pays to wake it, and no request leaves late because a timer was late.
//
// There are no locks: one goroutine drives all connections.
package webload
