package table

import "encoding/binary"

// undoRecords has a record for each undo of a list. A record begins with its kind and the number of the
// database.
type undoRecords struct {
	packed []byte
	last   int // where the last record begins
}

// The kinds of records.
const (
	recordOther  = iota // the undo is one of UndoList.others: nothing follows
	recordAbsent        // the key was absent: its size and its bytes follow
	recordCell          // the key had an integer: its old cell follows, which contains the key
)

// undoRecord is a record that was read. Its key and its cell refer to the bytes of the list.
type undoRecord struct {
	kind byte
	db   int
	key  []byte
	cell Cell // of kind recordCell
}

func (r *undoRecords) begin(kind byte, db int) {
	r.last = len(r.packed)
	if uint(db) < 0x80 { // one byte as a varint
		r.packed = append(r.packed, kind, byte(db))
	} else {
		r.packed = binary.AppendUvarint(append(r.packed, kind), uint64(db))
	}
}

func (r *undoRecords) addAbsent(db int, key []byte) {
	r.begin(recordAbsent, db)
	r.packed = append(binary.AppendUvarint(r.packed, uint64(len(key))), key...)
}

// addCell adds a copy of a cell. The cell must contain its key.
func (r *undoRecords) addCell(db int, c Cell) {
	r.begin(recordCell, db)
	r.packed = append(r.packed, c[:c.size()]...)
}

// move adds other records.
func (r *undoRecords) move(of *undoRecords) {
	if len(of.packed) == 0 {
		return
	}
	r.last = len(r.packed) + of.last
	r.packed = append(r.packed, of.packed...)
}

// read reads a record, and returns where the next one begins.
func (r *undoRecords) read(at int) (one undoRecord, next int) {
	db, n := binary.Uvarint(r.packed[at+1:])
	one.kind, one.db, next = r.packed[at], int(db), at+1+n
	switch one.kind {
	case recordAbsent:
		size, n := binary.Uvarint(r.packed[next:])
		from := next + n
		next = from + int(size)
		one.key = r.packed[from:next:next]
	case recordCell:
		one.cell = Cell(r.packed[next:])
		from, size := next+one.cell.keyAt(), one.cell.size()
		next += size
		one.key = r.packed[from:next:next]
	}
	return one, next
}
