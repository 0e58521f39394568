package table

import (
	"bytes"

	"cellserver/store/value"
)

// UndoLog has what the present transaction has changed in one partition, as it was before. Nothing in
// it is copied but keys: the images refer to values. So while there is a log, no value that an image
// may refer to changes in place.
type UndoLog struct {
	images []Before
	keys   []byte           // room for the keys of images
	own    map[any]struct{} // values that the transaction has made: *byte of a string, or a collection
}

// Before is a key before a change. Its image is valid as long as somebody refers to it. An image of
// kind None says that the key was absent.
type Before struct {
	Image
	Access uint32 // access clock of the cell
	Held   int64  // about how many bytes the image keeps alive, besides its own
}

const (
	keysBytes  = 1024 // of one piece of room for keys
	keptImages = 32   // for how many images a log keeps room
)

// Images returns what has changed, in the order of the changes. It is valid until [UndoLog.Reset].
func (l *UndoLog) Images() []Before { return l.images }

// Reset empties the log, for the next transaction.
func (l *UndoLog) Reset() {
	clear(l.images)
	l.images = l.images[:0]
	if cap(l.images) > keptImages {
		l.images = nil
	}
	if len(l.own) > 0 {
		clear(l.own)
	}
}

// keep adds the key of a cell that is about to change, unless the log has it as its last one. gone
// says that the cell's value goes. A collection is empty for a moment before its key goes: then the
// log has the key.
func (l *UndoLog) keep(t *Table, c Cell, gone bool) {
	key := t.keyOf(c)
	im := t.image(c, key)
	if im.Kind.IsCollection() && im.Collection.Len() == 0 {
		return
	}
	if !l.isLast(t, key) {
		im.Key = l.copyKey(key)
		l.images = append(l.images, Before{Image: im, Access: c.Access(), Held: int64(len(key))})
	}
	if gone && c.refers() {
		l.hold(t.objects.at(c.Int()).size())
	}
}

// keepAbsent adds a key that is about to come.
func (l *UndoLog) keepAbsent(t *Table, key []byte) {
	if l.isLast(t, key) {
		return
	}
	im := Image{DB: int(t.db), Key: l.copyKey(key), ExpireAt: NoExpiry}
	l.images = append(l.images, Before{Image: im, Held: int64(len(key))})
}

// isLast reports whether the last image is of a key. A second one of it would say nothing.
func (l *UndoLog) isLast(t *Table, key []byte) bool {
	n := len(l.images)
	return n > 0 && l.images[n-1].DB == int(t.db) && bytes.Equal(l.images[n-1].Key, key)
}

func (l *UndoLog) copyKey(key []byte) []byte {
	if cap(l.keys)-len(l.keys) < len(key) {
		l.keys = make([]byte, 0, max(keysBytes, len(key)))
	}
	at := len(l.keys)
	l.keys = append(l.keys, key...)
	return l.keys[at:len(l.keys):len(l.keys)]
}

// hold counts bytes that only the images keep alive.
func (l *UndoLog) hold(n int64) {
	if last := len(l.images) - 1; last >= 0 {
		l.images[last].Held += n
	}
}

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

// image returns a cell as it is.
func (t *Table) image(c Cell, key []byte) Image {
	im := Image{DB: int(t.db), Key: key, Kind: c.Kind(), ExpireAt: c.ExpireAt()}
	switch im.Kind {
	case value.Int:
		im.Int = c.Int()
	case value.Raw:
		im.Bytes = t.objects.at(c.Int()).bytes()
	default:
		im.Collection = t.objects.at(c.Int()).collection
	}
	return im
}
