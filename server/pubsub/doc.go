// Package pubsub delivers published messages to the connections that are subscribed to their
// channel, or to a pattern that matches the channel.
//
// Invariants: every subscriber sees messages in the same order. A connection's own
// subscriptions (commands.Subscriptions) and the broker agree whenever no command runs.
//
// Locks: Broker.mu guards channels and patterns. It may be taken while partitions of the store
// are locked, and is held while messages are pushed; a push never waits.
package pubsub
