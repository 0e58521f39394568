// Package files finds, reads and replaces the files that directives name.
//
//	files.go    dir; the path of a file; reads a file; the words of an error
//	replace.go  replaces a file at once
//
// Invariants: a read never waits for a pipe, and never reads more than its bound. After a crash a replaced
// file has its old contents or its new ones.
//
// There are no locks, and no state.
package files
