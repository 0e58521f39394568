// Package raftlog keeps what Raft must not forget: the log of a node, and its term and vote. A [Store] is a
// raft.LogStore and a raft.StableStore on files.
//
//	store.go    Store: Open, Close, and the failure that ends all writing
//	append.go   StoreLogs
//	read.go     GetLog, FirstIndex, LastIndex
//	delete.go   DeleteRange, RemoveBehind
//	open.go     reads all files, and cuts off a torn tail
//	torn.go     distinguishes torn tails from damage
//	mark.go     the last entry that the log has had: a log that lacks it has lost its end
//	segment.go  one file of the log, and where its entries are
//	record.go   one entry as bytes
//	stable.go   the term and the vote
//	joined.go   Joined: a log and the snapshots before it
//	screen.go   Screen keeps Raft from installing a snapshot of entries that are here
//
// # Files
//
// The directory has a folder log, a file stable and a file mark. A file of the log has the index of its first
// entry as its name, in 20 digits. It has one record after the other:
//
//	offset  bytes
//	0       4      CRC-32C of all other bytes of the record
//	4       4      n
//	8       8      index
//	16      8      term
//	24      1      type
//	25      n      data
//
// All numbers are little-endian. Two fields of raft.Log are left out. AppendedAt is for a metric of Raft
// only: it reads as the zero time. Extensions are for middleware that the cluster does not have: an entry
// with Extensions is refused.
//
// The store begins another file when a file has 64 MiB. An entry costs 4 bytes of memory, and a record of at
// least 25 bytes on disk. A file costs a file descriptor.
//
// # Guarantees
//
// With [Options].Sync an entry is on disk before StoreLogs returns. Without it the kernel has the entry: it
// survives the end of the process, and a power cut loses the last entries. After such a power cut Open may
// refuse the log. The term and the vote are always on disk before Set returns. A deleted end of the log is
// gone on disk before DeleteRange returns. So a power cut never mixes deleted entries with later ones.
//
// The entries of a log have no gaps. DeleteRange removes the beginning, the end, or all. Of the beginning it
// removes whole files: the remaining entries of a file are hidden until the next start.
//
// After a failed change of a file the store never trusts its files again: it refuses all further changes.
// Nobody knows what a failed fsync leaves on disk (Rebello et al., Can Applications Recover from fsync
// Failures?, USENIX ATC 2020). So Open with Sync writes the last file again, in place, before it trusts it.
//
// Open cuts off the torn tail of the last file. With any other damage Open returns an error.
//
// With [Options.Snapshot] Open also returns an error for a log that has lost its end or its beginning. It
// finds the loss of any entry that was stored before the end of the process, whether files are lost, cut or
// have zeros. After a power cut the mark may lack the entries of the last half minute. Then Open cannot know
// whether they are lost: only a disk that ignores fsync loses them. Open does not find that all files were
// replaced by an older copy.
//
// # Locks
//
// A goroutine holds the lock writing while it changes the log's files. The lock mu guards the list of
// entries in memory. It is taken inside writing. A goroutine that holds mu does no I/O, except to read one
// entry. So a read never waits for a write. The lock of the stable values is held while their file is
// replaced. No other lock is taken inside these two.
package raftlog
