// Package status says how a cluster is, in the words that a person on call needs.
//
//	state.go     State: what a node knows about its cluster, as JSON
//	describe.go  Describe: the state as a page of text
//	table.go     the table of the nodes
//	advice.go    what to do
//
// Invariant: Describe is a function of the state. Every problem that it shows has a line that says what to
// do. The package takes no locks.
package status
