// Package tracking tells clients which keys of their caches have changed (CLIENT TRACKING).
//
//	table.go         which connections track, and which keys they have read
//	invalidation.go  the messages
//
// The table records a read, and sends the message of a change, while the partition of the key is
// locked. So no change after a read is missed. Messages follow the replies of the reader's batch. So
// a reply never comes after a message about a later change.
//
// Invariants: every key of the table has a reader. The list of keys is in the order of their first
// reads. The table evicts the oldest keys beyond tracking-table-max-keys.
//
// Locks: Table.mu guards the table and the tracking options of every connection. A command takes it
// while it holds partitions of the store.
//
// Source: https://redis.io/docs/latest/develop/reference/client-side-caching/
package tracking
