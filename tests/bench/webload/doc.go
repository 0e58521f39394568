// Package webload sends requests over HTTP and measures their replies.
//
// Each connection is a goroutine with results of its own, so there are no locks.
package webload
