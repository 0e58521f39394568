// Package table is the hash table of the store. Keys, integers and expiries are in cells outside
// Go's heap. All other values are in a slab. The package knows no transaction, no effect and no
// clock.
//
//	Table ── directory of segments, by the leading bits of the key's hash
//	          └─ segment: an index (uint32 slots) and an arena (bytes) of cells
//	      └─ slab of objects: strings, collections, and keys too long for an arena
//
// A table is an extendible hash table. A segment holds at most a thousand cells. A full
// segment splits in two, and two segments that are mostly empty merge. So no insert pays for
// more than one segment, and memory follows the keys that are left.
//
// # The way through the files
//
//	place.go         Place: finding a key, and reading it
//	place_write.go   writing a key through its Place
//	table.go         Table: hashing, finding, inserting and removing a cell
//	parts.go         how a table makes hashes, and its numbers
//	directory.go     splitting and merging segments; the directory
//	segment.go       the index and the arena of one segment
//	cell.go          the bytes of a cell
//	slab.go          the objects that cells refer to
//	walk.go          reading all cells: in order, in hash order, or one at random
//	sweep.go         finding expired cells
//	check.go         recounting everything, for tests
//
// For snapshots and for undo, by copy-on-write:
//
//	keeper.go        Keeper: the seam between a table and those who must still see what was there
//	undolog.go       UndoLog: the keys that a transaction has changed, as they were
//	undolist.go      UndoList: undos in few bytes; undorecords.go has the bytes
//	frozen.go        Frozen: what a snapshot must still see of one partition
//	savedheads.go    the heads of cells that changed
//	segmentcopy.go   the copy of a segment, and the Images in it
//
// For speed alone, each behind a seam:
//
//	segmentmap.go    SegmentMap: where segments lie, read without a lock, to prefetch them
//	objectaddress.go where the value of a key lies, to prefetch it
//	reserve.go       room for keys that are about to come
//
// # Invariants
//
//   - A cell lies in the segment that the directory names for its key's hash.
//   - Index slots, dead bytes, cells, expiries and bytes are counted exactly ([Table.Check]).
//   - The dead cells of a segment are one chain. None is reused while a Keeper may need it.
//   - A segment's nextExpiry is at most the earliest expiry of its cells.
//   - The slab has no gaps. An object knows the hash of its key, so that its cell is found when
//     the object moves.
//   - A write takes memory before it changes anything. Without memory it panics with
//     [memory.ErrExhausted], and the table is as before.
//   - The generation of a table grows whenever a cell may have moved or come. A [Place] looks
//     its cell up again then.
//
// # Locks
//
// The package takes no lock. The partition's lock of package store guards a Table, its Keeper
// and its Places. Two things may be read without it: the counts ([Table.Len],
// [Table.Volatile]), and a [SegmentMap].
package table
