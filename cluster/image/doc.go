// Package image is the form of the cluster's snapshots: an RDB file, with facts about the cluster. So any Redis loads it.
//
//	image.go  Save and Load
//
// There are no locks.
package image
