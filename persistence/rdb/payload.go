package rdb

import (
	"encoding/binary"
	"errors"
	"sync"

	"cellserver/internal/pieces"
	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// ErrPayload is the error of a payload with an unknown version or a wrong checksum.
var ErrPayload = errors.New("rdb: the payload is damaged, or of a newer version")

// payloadWriter is the state of an AppendPayload.
type payloadWriter struct {
	Writer
	image store.Image
}

// payloadWriters keeps writers, so that a DUMP allocates its payload only.
var payloadWriters = sync.Pool{New: func() any {
	w := &payloadWriter{}
	w.writers = newWriters(&w.enc)
	return w
}}

// payloadRoom is the largest number of bytes that the payload of a string has besides the string.
const payloadRoom = 32

// AppendPayload appends the DUMP payload of an entry that exists.
func AppendPayload(dst []byte, e *store.Entry) []byte {
	w := payloadWriters.Get().(*payloadWriter)
	w.image = e.Image()
	w.enc.AppendTo(pieces.Grow(dst, len(w.image.Bytes)+payloadRoom))
	value := &w.writers[w.image.Kind]
	w.enc.Byte(value.typeByte)
	value.write(&w.image)
	b := w.enc.Bytes()
	w.image = store.Image{}
	w.enc.AppendTo(nil)
	payloadWriters.Put(w)
	b = binary.LittleEndian.AppendUint16(b, Version)
	return binary.LittleEndian.AppendUint64(b, encoding.Checksum(0, b[len(dst):]))
}

// payloadReader is the state of a DecodePayload.
type payloadReader struct {
	dec   encoding.Decoder
	value Value
}

// DecodePayload decodes a payload of DUMP. Its error is [ErrPayload], an [Unsupported] without
// a key, or an [Error] about a value that is damaged, empty, or shorter than the payload.
// The value borrows from the payload.
func DecodePayload(p []byte) (Value, error) {
	body, ok := payloadBody(p)
	if !ok {
		return Value{}, ErrPayload
	}
	r := payloadReader{dec: encoding.DecoderOf(body)}
	err := r.read(int64(len(body)))
	return r.value, err
}

// IsList reports whether a payload of DUMP has a list. It does not check the rest of the payload.
func IsList(p []byte) bool { return len(p) > 0 && types[p[0]].name == listCodec.name }

// payloadBody returns the type and the value of a payload if its version and checksum are right.
func payloadBody(p []byte) ([]byte, bool) {
	if len(p) < payloadTail {
		return nil, false
	}
	rest, sum := p[:len(p)-checksumSize], p[len(p)-checksumSize:]
	if binary.LittleEndian.Uint64(sum) != encoding.Checksum(0, rest) {
		return nil, false
	}
	body := rest[:len(rest)-2]
	version := binary.LittleEndian.Uint16(p[len(body):])
	return body, version <= maxVersion || version == valkeyVersion
}

// read reads a value that takes size bytes with its type.
func (r *payloadReader) read(size int64) error {
	kind, err := r.dec.Byte("the type of a value")
	if err != nil {
		return err
	}
	t := &types[kind]
	switch {
	case t.name == "":
		return encoding.Errorf(0, "the type of a value", "%d", kind)
	case t.read == nil:
		return &Unsupported{Type: t.name}
	}
	if err := t.readValue(&r.dec, &r.value); err != nil {
		return err
	}
	if t.isEmpty(&r.value) {
		return encoding.Errorf(1, "a "+t.name+" with members", "none")
	}
	if at := r.dec.Offset(); at != size {
		return encoding.Errorf(at, "the end of the value", "%d bytes more", size-at)
	}
	return nil
}
