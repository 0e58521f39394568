// Package service decides about the requests of the rate limit service: from a request to hits on counters,
// and from what the store found to an answer.
//
// service.go has the service, and the way of a request. hits.go makes the hits. answer.go makes the
// answer. metadata.go and headers.go make its optional parts. extra.go adds what a second file asks for.
// errors.go has the errors.
//
// Invariants: a request sees one set of rules. It counts in the store once, or there is an error. A refused
// request counts like an admitted one, unless the service counts all or nothing.
//
// It has no locks: the rules are swapped as a whole.
package service
