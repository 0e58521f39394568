// Package ruleurl keeps the rules of a URL in force: the server asks a rules service again and again.
//
//	source.go  Source: which URL, what it said last, and when to ask again
//	get.go     one request: ETag, time-out, bounds
//	kept.go    the copy of the last rules, for a start without the service
//
// Invariants: an answer that is wrong is refused as a whole, and the rules before it stay in force. A
// request has a time-out and its answer a largest size. The URL is never logged with its password.
//
// Locks: Source.mu guards the state. It is not held during a request, and is held while rules come into
// force.
package ruleurl
