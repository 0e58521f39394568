package store

import (
	"unsafe"

	"cellserver/store/table"
)

// Undo takes one change back. It is of one key, or of a whole database (FLUSHDB, SWAPDB). It belongs
// to the store: until [Store.Revert] or [Store.DropUndo] has got it, nobody may change what it refers
// to.
type Undo struct {
	Batch  uint64 // the caller's: the store neither reads nor writes it
	Before Image  // the key and what it held. Of kind None, the key was absent

	access uint32 // access clock of the key
	held   int64
	whole  *wholeUndo // of a whole database; nil for a key
}

// wholeUndo takes a change of a whole database back.
type wholeUndo struct {
	tables []flushed // of FLUSHDB
	other  int       // of SWAPDB: the other database
}

// flushed has the keys of one partition that FLUSHDB has removed.
type flushed struct {
	partition int
	was       *table.Table
}

const undoBytes = int64(unsafe.Sizeof(Undo{}))

// Bytes returns about how much memory the undo keeps alive: its own, and that of values which the
// keyspace does not have any more.
func (u *Undo) Bytes() int64 { return u.held }

// OfKey reports whether the change is of the key in Before. Otherwise it is of a whole database.
func (u *Undo) OfKey() bool { return u.whole == nil }

// free gives the memory of flushed keys back. Their partitions are locked.
func (u *Undo) free() {
	if u.whole == nil {
		return
	}
	for _, of := range u.whole.tables {
		of.was.Free()
	}
	u.whole = nil
}
