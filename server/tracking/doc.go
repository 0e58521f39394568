// Package tracking tells clients which keys of their caches have changed (CLIENT TRACKING).
//
//	table.go         which connections track, and which keys they have read
//	invalidation.go  the messages
//
// A read is remembered, and a change is told, while the partition of the key is locked. So a
// change after a read is never missed. Messages leave after the replies of the reader's batch,
// so a reply that is older than a message never comes after the message.
//
// Invariants: every key of the table has a reader. The list of keys is in the order in which they
// were remembered. The table forgets the oldest keys beyond tracking-table-max-keys.
//
// Locks: Table.mu guards the table and the tracking options of every connection. It is taken
// while partitions of the store are locked.
//
// Source: https://redis.io/docs/latest/develop/reference/client-side-caching/
package tracking
