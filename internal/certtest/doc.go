// Package certtest makes certificates for tests.
//
//	certtest.go  New and Between: a certificate, and its files
//
// Invariant: a certificate is for 127.0.0.1, for servers and for clients, and is its own authority. There are
// no locks.
//
// Only tests import the package.
package certtest
