// Package image is the form of the cluster's snapshots: an RDB file, with facts about the cluster. So any
// Redis loads it.
//
//	image.go  Save and Load
//
// Invariant: after [Load] a store has the keys and the facts that [Save] got, or Load returns an error.
//
// There are no locks.
package image
