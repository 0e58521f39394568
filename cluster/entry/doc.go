// Package entry is the codec of the entries that nodes of a cluster replicate through Raft.
//
//	entry.go  Entry: AppendHeader and Finish encode it, Parse decodes it
//	epoch.go  the bodies of entries of the kinds EpochBegins and LevelRaised
//	node.go   the bodies of entries of the kinds NodeKnown and NodeGone
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
// understand in full. If nodes guessed, their keys would differ. An entry has at most [MaxSize] bytes, and
// the bodies of nodes and epochs have much smaller bounds.
//
// The package keeps no state and takes no locks.
package entry
