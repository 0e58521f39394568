// Package logins watches the attempts to authenticate: AUTH and HELLO AUTH. It limits the failed
// attempts of each client address (auth-fail-limit). It keeps ACL LOG.
//
//	limit.go  the limit, by package gcra
//	log.go    ACL LOG
//
// Invariants: memory is bounded, whatever clients send. The limit knows at most 2 * maxAddresses
// addresses, the log at most acllog-max-len entries with texts of bounded length.
//
// Locks: Logins.mu guards the limit, logMu the log. No code holds both, and both are innermost locks.
package logins
