package rdb

import (
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// A key of the server's own database ([store.Own]) is a fact about the file. Redis ignores facts that it does
// not know, so it loads the file, and gets no keys that its clients would see. The fact is the key, the type
// of its value, and the value.

// ownFact is the name of such a fact.
const ownFact = "cellserver-own"

// own writes a key of the server's own database.
func (w *Writer) own(im *store.Image) error {
	one := payloadWriters.Get().(*payloadWriter)
	one.enc.AppendTo(nil)
	one.enc.Text(im.Key)
	value := &one.writers[im.Kind]
	one.enc.Byte(value.typeByte)
	value.write(im)
	fact := one.enc.Bytes()
	one.enc.AppendTo(nil)
	payloadWriters.Put(one)
	return w.Aux(ownFact, string(fact))
}

// own reads a key of the server's own database out of a fact.
func (r *Reader) own(fact []byte) error {
	d := encoding.DecoderOf(fact)
	key, err := d.Text("a key of the server's own database")
	if err != nil {
		return err
	}
	r.record.DB, r.record.Key = store.Own, append(r.record.Key[:0], key...)
	from := d.Offset()
	kind, err := d.Byte("the type of a value")
	if err != nil {
		return err
	}
	if kind >= firstOpcode || types[kind].read == nil {
		return unknownType(from, kind)
	}
	if err := types[kind].readValue(&d, &r.record.Value); err != nil {
		return err
	}
	if rest := int64(len(fact)) - d.Offset(); rest > 0 {
		const want = "the end of a key of the server's own database"
		return encoding.Errorf(d.Offset(), want, "%d more bytes", rest)
	}
	return nil
}
