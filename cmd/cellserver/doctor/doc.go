// Package doctor asks a running server what a person on call asks first. It returns a page of about twenty
// lines: facts, and what to do.
//
//	doctor.go  Examine: asks the server, and writes the page
//	conn.go    a connection to the server
//	tls.go     TLS below it
//	facts.go   what the server says: INFO and SLOWLOG
//	page.go    the facts as lines
//	advice.go  what to do
//
// Invariants: the package sends only commands that read. Each reply is bounded, and so is the wait for it.
// Texts that clients chose are quoted, so that they cannot control a terminal.
//
// It takes no locks.
package doctor
