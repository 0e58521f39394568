package pending

import (
	"bytes"
	"encoding/binary"

	"cellserver/store"
)

// undos take back the effects of a batch, in the order of the changes. Most changes are of integers. Their undos are packed,
// because a batch has thousands: the processor's cache has room for them then.
type undos struct {
	packed []byte       // a record for each undo
	others []store.Undo // those that are not packed: the record of each has one byte
	bytes  int64        // that all of them hold
}

// The first byte of a record.
const (
	recordOther  = iota // the next one of others
	recordAbsent        // the key was absent
	recordInt           // the key had an integer
)

// add adds undos. The caller may use the bytes of their keys again.
func (l *undos) add(all []store.Undo) {
	for i := range all {
		l.addOne(&all[i])
	}
}

func (l *undos) addOne(u *store.Undo) {
	before := len(l.packed)
	switch im := &u.Before; {
	case u.OfKey() && im.Kind == store.None:
		l.packed = append(l.packed, recordAbsent)
		l.addKey(im)
	case u.OfKey() && im.Kind == store.Int:
		l.packed = append(l.packed, recordInt)
		l.packed = binary.LittleEndian.AppendUint64(l.packed, uint64(im.Int))
		l.packed = binary.LittleEndian.AppendUint64(l.packed, uint64(im.ExpireAt))
		l.packed = binary.LittleEndian.AppendUint32(l.packed, u.Access)
		l.addKey(im)
	default:
		l.packed = append(l.packed, recordOther)
		l.others = append(l.others, *u)
		key := &l.others[len(l.others)-1].Before.Key
		*key = bytes.Clone(*key)
		l.bytes += u.Bytes()
	}
	l.bytes += int64(len(l.packed) - before)
}

func (l *undos) addKey(im *store.Image) {
	l.packed = binary.AppendUvarint(l.packed, uint64(im.DB))
	l.packed = binary.AppendUvarint(l.packed, uint64(len(im.Key)))
	l.packed = append(l.packed, im.Key...)
}

// appendTo appends all undos to dst. Their keys refer to the records.
func (l *undos) appendTo(dst []store.Undo) []store.Undo {
	rest, others := l.packed, l.others
	for len(rest) > 0 {
		kind := rest[0]
		rest = rest[1:]
		if kind == recordOther {
			dst, others = append(dst, others[0]), others[1:]
			continue
		}
		u := store.Undo{Before: store.Image{ExpireAt: store.NoExpiry}}
		if kind == recordInt {
			u.Before.Kind = store.Int
			u.Before.Int = int64(binary.LittleEndian.Uint64(rest))
			u.Before.ExpireAt = int64(binary.LittleEndian.Uint64(rest[8:]))
			u.Access = binary.LittleEndian.Uint32(rest[16:])
			rest = rest[20:]
		}
		rest = cutKey(&u.Before, rest)
		dst = append(dst, u)
	}
	return dst
}

// cutKey takes the key of a record, and returns the records after it.
func cutKey(im *store.Image, rest []byte) []byte {
	db, n := binary.Uvarint(rest)
	rest = rest[n:]
	size, n := binary.Uvarint(rest)
	rest = rest[n:]
	im.DB, im.Key = int(db), rest[:size:size]
	return rest[size:]
}

// reset removes all undos, and keeps the room for the next ones. It returns the undos of whole databases, which the
// owner must give back to the store.
func (l *undos) reset() (garbage []store.Undo) {
	for i := range l.others {
		if u := &l.others[i]; !u.OfKey() {
			garbage = append(garbage, *u)
		}
	}
	clear(l.others)
	l.packed, l.others, l.bytes = l.packed[:0], l.others[:0], 0
	return garbage
}

// small reports whether the room is small enough to be kept.
func (l *undos) small() bool { return cap(l.packed) <= maxRoomBytes && cap(l.others) <= maxRoomUndo }
