// Package guides runs the programs of docs/guides, one for each language, with a real server.
//
//	guides_test.go    the story of a program: limits, waits, fail open, fail closed
//	programs_test.go  how the program of each language is built and started
//	harness_test.go   the server, and the program as a process
//
// A program is taken from its page. Only its address changes, and for some runs its time-out and its answer without a
// decision. tests/clients/install installs the libraries. A missing language is a skipped test; with CELLSERVER_NO_SKIP it
// is a failed one.
package guides
