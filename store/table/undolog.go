package table

import (
	"unsafe"

	"cellserver/store/value"
)

// Undo takes one change back. It is of one key, or of a whole database (FLUSHDB, SWAPDB).
type Undo struct {
	Before Image  // the key as it was, of kind None if it was absent
	Whole  *Whole // of a whole database: Before has its number only; nil for a key
	Held   int64  // about how many bytes the undo keeps alive: its own, and values that no key has any more
	Access uint32 // access clock of the key
}

// Whole takes a change of a whole database back.
type Whole struct {
	Tables []Detached // of FLUSHDB
	Other  int        // of SWAPDB: the other database
}

// Detached has the keys of one partition that FLUSHDB has removed.
type Detached struct {
	Partition int
	Table     *Table
}

// UndoBytes is the memory of an undo, without what it refers to.
const UndoBytes = int64(unsafe.Sizeof(Undo{}))

// OfKey reports whether the change is of the key in Before. Otherwise it is of a whole database.
func (u *Undo) OfKey() bool { return u.Whole == nil }

// UndoLog has the undos of the present transaction in one partition. It copies keys and integers only: its
// images refer to all other values. So while there is a log, no value that an image may refer to changes
// in place.
type UndoLog struct {
	list UndoList
	keys []byte           // room for the keys of undos that are not packed
	own  map[any]struct{} // values that the transaction has made: *byte of a string, or a collection
}

const (
	keysBytes = 256 // of one piece of room for keys; and the most room that a log keeps for packed undos
	keptUndos = 32  // the most other undos for which a log keeps room
)

// Undos returns the undos. They are valid until [UndoLog.Reset].
func (l *UndoLog) Undos() *UndoList { return &l.list }

// End empties the log at the end of a transaction. Nobody needs the keys of its undos any more.
func (l *UndoLog) End() {
	l.Reset()
	if l.keys = l.keys[:0]; cap(l.keys) > keysBytes {
		l.keys = nil
	}
}

// Reset empties the log. The keys of its undos stay.
func (l *UndoLog) Reset() {
	if l.list.Empty() && len(l.own) == 0 {
		return
	}
	l.list.Reset()
	l.list.Trim(keysBytes, keptUndos)
	if len(l.own) > 0 {
		clear(l.own)
	}
}

// keep adds the key of a cell that is about to change, unless the log has it as its last one. gone
// says that the cell's value goes. A collection is empty for a moment before its key goes: then the
// log has the key.
func (l *UndoLog) keep(t *Table, c Cell, gone bool) {
	if c.Kind().IsCollection() && t.objects.at(c.Int()).collection().Len() == 0 {
		return
	}
	// A second undo of the same key would be redundant.
	if l.list.Empty() || !l.list.isLast(int(t.db), t.KeyOf(c)) {
		l.add(t, c)
	}
	if gone && c.refers() {
		l.list.hold(t.objects.at(c.Int()).size())
	}
}

// add adds the key of a cell.
func (l *UndoLog) add(t *Table, c Cell) {
	if c.Kind() == value.Int && !c.has(cellBigKey) {
		l.list.addCell(int(t.db), c)
		return
	}
	key := t.KeyOf(c)
	u := Undo{Held: UndoBytes + int64(len(key)), Access: c.Access()}
	t.show(&u.Before, c)
	u.Before.DB, u.Before.Key = int(t.db), l.copyKey(key)
	l.list.Add(u)
}

// keepAbsent adds a key that is about to come.
func (l *UndoLog) keepAbsent(t *Table, key []byte) {
	if l.list.Empty() || !l.list.isLast(int(t.db), key) {
		l.list.addAbsent(int(t.db), key)
	}
}

func (l *UndoLog) copyKey(key []byte) []byte {
	if cap(l.keys)-len(l.keys) < len(key) {
		l.keys = make([]byte, 0, max(keysBytes, len(key)))
	}
	at := len(l.keys)
	l.keys = append(l.keys, key...)
	return l.keys[at:len(l.keys):len(l.keys)]
}

// hold counts bytes that only the undos keep alive.
func (l *UndoLog) hold(n int64) { l.list.hold(n) }

// made reports whether the transaction has made a value. It may change that value in place.
func (l *UndoLog) made(v any) bool {
	_, own := l.own[v]
	return own
}

// note says that the transaction has made a value.
func (l *UndoLog) note(v any) {
	if l.own == nil {
		l.own = map[any]struct{}{}
	}
	l.own[v] = struct{}{}
}
