// Package cluster holds CLUSTER, READONLY, READWRITE and ASKING. A server in cluster mode is a
// cluster of one node that owns all 16,384 slots.
//
// May use: the configuration, the id of the node, and the address of the own connection.
//
// A command is one file, with its test beside it. A command that returns an error has written
// nothing. The package takes no locks: a command runs while the server holds the partitions of
// its keys.
package cluster
