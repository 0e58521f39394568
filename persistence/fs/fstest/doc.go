// Package fstest is a file system in memory, for tests. A test can make any operation fail,
// and cut the power between any two operations.
//
//	memory.go     Memory: its files and names, and what a power cut leaves of them
//	file.go       an open file
//	directory.go  the renaming of directories
//
// Invariant: a power cut keeps what was synced. It may lose every other change.
//
// One lock guards a whole Memory. Each operation holds it, also while Fault runs.
package fstest
