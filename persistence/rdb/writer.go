package rdb

import (
	"io"

	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// Writer writes a file. Its bytes collect in one buffer, so keys cost no
// allocation. After an error it writes nothing more, and every method returns that error.
type Writer struct {
	enc     encoding.Encoder
	writers [256]valueWriter // by kind
	db      int              // of the last image
}

// NewWriter begins a file with its header. With noChecksum the file has no checksum (rdbchecksum
// no), so no reader notices damage.
func NewWriter(out io.Writer, noChecksum bool) *Writer {
	w := &Writer{enc: encoding.NewEncoder(out), db: store.Own}
	w.enc.NoChecksum = noChecksum
	w.writers = newWriters(&w.enc)
	w.enc.Raw(magic)
	for unit := 1000; unit > 0; unit /= 10 {
		w.enc.Byte(byte('0' + Version/unit%10))
	}
	return w
}

// Aux writes a fact about the file. Readers ignore unknown names. The names that Redis
// uses are listed in its rdb.c (redis-ver, ctime, used-mem, aof-base …).
func (w *Writer) Aux(name, value string) error {
	w.enc.Byte(opAux)
	w.enc.Text([]byte(name))
	w.enc.Text([]byte(value))
	return w.enc.FlushChunk()
}

// Select says that the next keys are in database db. keys and expires are hints: about how many keys
// follow, and how many of them expire.
func (w *Writer) Select(db, keys, expires int) error {
	w.enc.Byte(opSelectDB)
	w.enc.Length(uint64(db))
	w.enc.Byte(opResizeDB)
	w.enc.Length(uint64(keys))
	w.enc.Length(uint64(expires))
	return w.enc.FlushChunk()
}

// Image writes a key of a snapshot, and its database before it if that is another one than before. counts are
// those of the databases.
func (w *Writer) Image(im *store.Image, counts []store.Count) error {
	if im.DB == store.Own {
		return w.own(im)
	}
	if im.DB != w.db {
		w.db = im.DB
		w.Select(w.db, counts[w.db].Keys, counts[w.db].Expires)
	}
	return w.Key(im)
}

// Key writes a key with its expiry and its value. The expiry of a throttle key is its TAT,
// rounded up to the millisecond.
func (w *Writer) Key(im *store.Image) error {
	if im.ExpireAt != store.NoExpiry {
		w.enc.Byte(opExpireMs)
		w.enc.Uint64(uint64(im.ExpireAt))
	}
	value := &w.writers[im.Kind]
	w.enc.Byte(value.typeByte)
	w.enc.Text(im.Key)
	value.write(im)
	return w.enc.FlushChunk()
}

// Finish ends the file with its checksum and writes the rest. It does not close the io.Writer.
func (w *Writer) Finish() error {
	w.enc.Byte(opEOF)
	w.enc.Uint64(w.enc.Sum())
	return w.enc.Flush()
}
