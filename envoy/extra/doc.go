// Package extra reads what rules have that the files of the rate limit service can not say. It is a
// second file, so that the files stay readable for the service that they were written for.
//
// extra.go has the file and its parser. limit.go checks a limit.
//
// Invariants: a file is read whole, or there is an error that names the rule. A file that is parsed never
// changes.
//
// It has no locks.
package extra
