// Package logins watches the attempts to authenticate: AUTH, HELLO AUTH, and the token of HTTP. It limits the
// failed attempts of each client address (auth-fail-limit). It keeps ACL LOG.
//
//	limit.go        the limit, by package gcra
//	log.go          ACL LOG
//
// Invariants: memory is bounded, whatever clients send. The limit keeps guesses of at most 2 * maxAddresses
// addresses, and the right credentials of as many. Guesses never make it forget right credentials. The log
// has at most acllog-max-len entries with texts of bounded length.
//
// Locks: Logins.mu guards the limit, logMu the log. No code holds both, and both are innermost locks.
package logins
