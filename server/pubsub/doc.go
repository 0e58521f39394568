// Package pubsub delivers published messages to the connections that are subscribed to their
// channel, or to a pattern that matches the channel. Channels of shards have subscribers of their own.
//
//	broker.go  Broker: who is subscribed, and the delivery
//
// Invariants: all subscribers of a channel get its messages in the same order. The broker and the
// connections (commands.Subscriptions) have the same subscriptions whenever no command runs.
//
// Locks: Broker.mu guards channels and patterns. A command may take it while it holds partitions of
// the store. Publish holds it while it pushes messages; a push never waits.
package pubsub
