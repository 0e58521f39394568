// Package sortedsets holds the commands on sorted sets.
//
// sortedset.go reads sets and replies with items. interval.go parses ranges of ranks, scores and
// members. combine.go has the arguments of unions, intersections and differences.
//
// May use: the keyspace alone.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package sortedsets
