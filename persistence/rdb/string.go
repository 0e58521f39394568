package rdb

import (
	"cellserver/internal/decimal"
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

const typeString = 0

// stringCodec keeps strings. A string that is a canonical integer becomes the kind Int.
var stringCodec = codec{
	name:      "string",
	kinds:     []store.Kind{store.Int, store.Raw},
	writes:    typeString,
	newWriter: newStringWriter,
	reads:     map[byte]readFunc{typeString: readString},
	put:       putString,
}

func newStringWriter(e *encoding.Encoder) func(*store.Image) {
	return func(im *store.Image) {
		if im.Kind == store.Int {
			e.Int(im.Int)
		} else {
			e.Text(im.Bytes)
		}
	}
}

func readString(d *encoding.Decoder, v *Value) error {
	b, err := d.Text("a string")
	if err != nil {
		return err
	}
	if n, ok := decimal.Parse(b); ok {
		v.Kind, v.Int = store.Int, n
	} else {
		v.Kind, v.Bytes = store.Raw, b
	}
	return nil
}

func putString(v *Value, e *store.Entry, expireAt int64) {
	if v.Kind == store.Int {
		e.SetInt(v.Int, expireAt)
	} else {
		e.SetBytes(v.Bytes, expireAt)
	}
}
