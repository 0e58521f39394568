// Package entry has the bytes that the log of a group keeps: its entries, and the snapshots that replace its
// beginning.
//
//	entry.go  Entry: AppendHeader and Finish encode it, Parse decodes it
//	epoch.go  the bodies of entries of the kinds EpochBegins and LevelRaised
//	node.go   the bodies of entries of the kinds NodeKnown and NodeGone
//	image.go  the snapshots: RDB files with facts about the cluster, so any Redis loads them
//
// All numbers are little-endian:
//
//	offset  bytes
//	0       1      version, 1
//	1       1      kind
//	2       2      flags, 0
//	4       4      CRC-32C of all other bytes of the entry
//	8       8      term in which the entry was proposed
//	16      8      batch: the proposer's number of the entry
//	24      8      time: cluster time in Unix nanoseconds
//	32      n      body
//
// Invariants: each valid entry has one encoding. Parse returns an error for an entry that it does not
// understand in full. If nodes guessed, their keys would differ. An entry has at most maxSize bytes, and
// the bodies of nodes and epochs have much smaller bounds. After [LoadImage] a store has the keys and the
// facts that [SaveImage] got, or LoadImage returns an error.
//
// The package keeps no state and takes no locks.
package entry
