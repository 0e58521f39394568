// Package store is the keyspace: keys, values, expiry, memory accounting, transactions and their
// effects. It knows no command, no wire and no clock. The time comes with each transaction, in
// nanoseconds since the Unix epoch.
//
//	Store ── 256 partitions, each 64 Redis Cluster slots, one lock each
//	          └─ one table per database with keys (store/table): the keys, as cells
//
// Besides the databases of clients there is one of the server itself ([Own]). Its keys are logged, replicated
// and counted as all others. No number of a database is its number, so no command of a client can name it.
//
// # Writing
//
// A transaction ([Tx]) locks the partitions of its [Footprint] in ascending order. It finds an
// [Entry] per key, and changes the keyspace only through entries. Each change is an [Effect]: an
// absolute fact that a log or a replica can apply again. Only a list's effects are no such facts, so
// each is applied exactly once. [Tx.End] hands the effects to the
// observers while the locks are held, so the order of effects is the order of changes.
//
// Expired keys are removed on access and by [Store.Sweep]. [Store.Evict] removes keys to make
// room. Both use transactions, on one partition and a few keys at a time.
//
// # Snapshots
//
// A [Snapshot] is the keyspace of one moment, at which all partitions are locked. It then goes from
// segment to segment and copies each under its partition's lock. Transactions continue. A
// transaction that changes a segment first saves the part that the snapshot must still see
// (copy-on-write).
//
// # Undo
//
// While [Store.KeepUndo] is on, each transaction keeps what its keys held before. An observer takes
// that as a list of [Undo], and later gives it to [Store.Revert] or to [Store.DropUndo]. The images
// refer to values. So nothing that an image refers to changes in place: the hooks are those of
// snapshots (table.Keeper).
//
// # The way through the files
//
//	footprint.go  the slot and the partition of a key; Footprint: the partitions that a transaction locks
//	types.go      what a key can hold: the table of all types
//	effect.go     Effect and Op, and how many bytes effects have
//	partition.go  one lock, its tables and its watchers
//	lock.go       waiting for the locks of partitions
//	tables.go     the tables of all databases, made when they are used
//	store.go      Store: options, size and counters
//	tx.go         Tx: beginning, ending, effects; Observer
//	left.go       what an observer sees of a key
//	long.go       transactions that may take long
//	entry.go      Entry: finding and reading a key; expiry on access
//	entry_write.go      writing integers, strings, collections and expiries
//	entry_collection.go  changing collections of any type, by its description
//	entry_sortedset.go  sorted sets; entry_hash.go reads hashes and sets
//	entry_copy.go       COPY and RENAME
//	entry_among.go      facts about the other keys of a partition
//	access.go     when a key was used, or how often: for OBJECT and eviction
//	databases.go  FLUSHDB and SWAPDB
//	adopt.go      replacing all keys by those of another store
//	scan.go       SCAN, walking over keys, RANDOMKEY
//	sweep.go      removing expired keys
//	policy.go     maxmemory-policy
//	candidates.go sampled keys that may be evicted
//	evict.go      removing keys to make room
//	watch.go      WATCH
//	snapshot.go   Snapshot
//	undo.go       keeping what transactions change, and taking it back
//	own_undo.go   what a transaction keeps that can be taken back while it runs
//
// For speed alone, each behind a seam:
//
//	prefetch.go   prefetching the memory on the way to a key
//	keyhashes.go  the hashes of prefetched keys
//	reserve.go    room for keys that are about to come
//
// Below this package: store/value (kinds of values), store/sortedset, store/hash and store/set (types),
// store/packed and store/trie (what types are made of). Cells and segments are in store/table.
// Blocks outside Go's heap are in store/memory.
//
// # Invariants
//
//   - Every change of a key outside loading is an effect, and marks the key's watchers.
//   - A key that has expired is never read or written, except as [Tx.KeepExpired] and
//     [Tx.WriteTATIn] say.
//   - An empty collection does not stay: its key is removed.
//   - Store.Used is the sum of the bytes of all tables, and of what others count.
//
// # Locks
//
//   - partition.mu guards the partition's tables, watches and keeper. A transaction takes several
//     in ascending order of the partitions. While a transaction waits for a long one, it holds none.
//     Counts and segment maps of tables are read without the lock.
//   - tables.making is held while a table is made or dropped. It is taken after the partition's lock.
//   - evictor.mu guards the eviction pool. It is taken before any partition's lock.
//   - Blocks of store/memory have a lock of their own. It is taken last.
package store
