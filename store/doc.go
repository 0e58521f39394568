// Package store is the sharded keyspace: cells, values, expiry, memory accounting,
// transactions and their effects. It knows no command, no wire and no clock: the time
// comes with each transaction, in nanoseconds since the Unix epoch.
//
// # Shape
//
//	Store ── 256 partitions, each 64 Redis Cluster slots, one lock each
//	           └─ one table per database
//	                └─ directory of segments, by the leading bits of the key's hash
//	                     └─ index (uint32 slots) + arena (bytes): the cells
//	                └─ slab of values that are no integers (strings, sorted sets)
//
// A cell is a key, an int64 and an expiry. A counter and the TAT of a throttle key are
// both just that int64. A segment holds at most a thousand cells and splits in two when
// it is full, so no insert ever pays for more than that; two that have become mostly
// empty merge again, so memory and the cost of a scan follow the keys that are left.
//
// Each segment lies in a block of the store's own memory, which the garbage collector
// neither walks nor frees: nothing of a segment may be read without its partition's lock, but
// to ask for memory that will soon be wanted (a table's chart, and [Tx.Prefetch]).
//
// # Writing
//
// A transaction ([Tx]) locks the partitions of its [Footprint] in ascending order,
// finds an [Entry] per key and changes the keyspace through it alone. Every change is
// recorded as an [Effect], an absolute fact that a log or a replica can apply again;
// [Tx.End] hands the effects to the observer while the locks are still held, so that
// the order of effects is the order of changes.
//
// Keys also go because their time is over, on access and by [Store.Sweep], and to make
// room, by [Store.Evict]: in transactions like any other, a partition and a few keys at
// a time.
//
// # Snapshots
//
// A [Snapshot] is the keyspace of one moment, at which all partitions are locked for an
// instant. Then it goes from segment to segment and copies each under its partition's lock.
// A transaction that is about to change a cell of one which is still to come keeps the cell's
// head as it was; before values behind the table change, or cells move, it copies the segment.
// What a snapshot may hold of such a value is copied before it changes, too.
package store
