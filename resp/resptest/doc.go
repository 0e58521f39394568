// Package resptest talks to a server and parses its replies, for tests.
//
// It shares no code with package resp, so that each checks the other.
//
//	parse.go     replies as Go values
//	client.go    a client for tests
//	redis.go     starts a real redis-server, to compare with
//
// Invariant: a reply that breaks the protocol is an error.
//
// The package has no locks: a Client belongs to the test's goroutine.
package resptest
