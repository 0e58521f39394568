package table

import "bytes"

// UndoList is a list of undos, in the order of the changes. Its zero value is empty. Most changes are of
// integers, and their undos are packed: a record has few bytes. So it costs little to add an undo, to move
// it to another list, and to remove it.
type UndoList struct {
	records undoRecords
	bytes   int64  // see Bytes
	others  []Undo // those that are not packed, in their order
}

// Empty reports whether the list has no undos.
func (l *UndoList) Empty() bool { return len(l.records.packed) == 0 }

// Bytes returns about how much memory the undos keep alive.
func (l *UndoList) Bytes() int64 { return l.bytes }

// Add adds an undo that is not packed. Its key must stay as it is.
func (l *UndoList) Add(u Undo) {
	l.records.begin(recordOther, u.Before.DB)
	l.others = append(l.others, u)
	l.bytes += u.Held
}

// addAbsent adds the undo of a key that is absent.
func (l *UndoList) addAbsent(db int, key []byte) {
	before := len(l.records.packed)
	l.records.addAbsent(db, key)
	l.bytes += int64(len(l.records.packed) - before)
}

// addCell adds the undo of a key that has an integer.
func (l *UndoList) addCell(db int, c Cell) {
	before := len(l.records.packed)
	l.records.addCell(db, c)
	l.bytes += int64(len(l.records.packed) - before)
}

// hold counts bytes that only the last undo keeps alive.
func (l *UndoList) hold(n int64) {
	if l.Empty() {
		return
	}
	l.bytes += n
	if l.records.packed[l.records.last] == recordOther {
		l.others[len(l.others)-1].Held += n
	}
}

// isLast reports whether the last undo is that of this key. The list must not be empty.
func (l *UndoList) isLast(db int, key []byte) bool {
	r, _ := l.records.read(l.records.last)
	if r.kind == recordOther {
		r.key = l.others[len(l.others)-1].Before.Key
	}
	return r.db == db && bytes.Equal(r.key, key)
}

// Append adds the undos of another list, with copies of their keys.
func (l *UndoList) Append(of *UndoList) {
	others := len(l.others)
	l.Move(of)
	for i := others; i < len(l.others); i++ {
		key := &l.others[i].Before.Key
		*key = bytes.Clone(*key)
	}
}

// Move adds the undos of another list without copies of their keys: these must stay as they are.
func (l *UndoList) Move(of *UndoList) {
	l.records.move(&of.records)
	l.bytes += of.bytes
	if len(of.others) > 0 {
		l.others = append(l.others, of.others...)
	}
}

// All appends all undos to dst. Their keys refer to the list.
func (l *UndoList) All(dst []Undo) []Undo {
	others := l.others
	for at := 0; at < len(l.records.packed); {
		var r undoRecord
		if r, at = l.records.read(at); r.kind == recordOther {
			dst, others = append(dst, others[0]), others[1:]
			continue
		}
		u := Undo{Before: Image{DB: r.db, Key: r.key, ExpireAt: NoExpiry}, Held: UndoBytes + int64(len(r.key))}
		if c := r.cell; r.kind == recordCell {
			u.Before.Kind, u.Before.Int, u.Before.ExpireAt, u.Access = c.Kind(), c.Int(), c.ExpireAt(), c.Access()
		}
		dst = append(dst, u)
	}
	return dst
}

// Reset removes all undos, and keeps the room for the next ones. It returns the undos of whole databases,
// because the memory of these databases must go back to the store.
func (l *UndoList) Reset() (whole []Undo) {
	if len(l.others) > 0 {
		for i := range l.others {
			if u := &l.others[i]; !u.OfKey() {
				whole = append(whole, *u)
			}
		}
		clear(l.others)
		l.others = l.others[:0]
	}
	l.records.packed, l.bytes = l.records.packed[:0], 0
	return whole
}

// Trim drops the room of the records if it has more than this number of bytes. It drops the room of the
// other undos if it is for more than this number of them. The list must be empty.
func (l *UndoList) Trim(bytes, others int) {
	if cap(l.records.packed) > bytes {
		l.records.packed = nil
	}
	if cap(l.others) > others {
		l.others = nil
	}
}
