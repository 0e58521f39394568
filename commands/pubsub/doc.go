// Package pubsub holds PUBLISH, SUBSCRIBE, PSUBSCRIBE, UNSUBSCRIBE, PUNSUBSCRIBE, their kin for shards, and
// PUBSUB.
//
// May use: the broker, and the subscriptions and the transaction of the own connection.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package pubsub
