// Package roster knows the nodes of the cluster: who takes part, how clients reach them, and which of them
// is healthy. It makes the view of the cluster that clients get.
//
//	roster.go  Roster, and the form of a node in an entry of the log
//	watch.go   Watch: which nodes do not reply
//
// Invariant: a View does not change after it was made. The package takes no locks: the owner of a Roster
// does.
package roster
