package rdb

import (
	"encoding/binary"
	"errors"

	"cellserver/store"
)

// ErrPayload says that a payload is of a version that is not read, or that its checksum
// is not that of its bytes.
var ErrPayload = errors.New("rdb: a payload of a newer version, or damaged")

// AppendPayload appends DUMP's payload of an entry that exists.
func AppendPayload(dst []byte, e *store.Entry) []byte {
	im := e.Image()
	w := Writer{buf: append(dst, typeOf(im.Kind))}
	w.item = w.appendItem
	w.value(&im)
	b := binary.LittleEndian.AppendUint16(w.buf, Version)
	return binary.LittleEndian.AppendUint64(b, checksum(0, b[len(dst):]))
}

// DecodePayload decodes a payload of DUMP. Its error is [ErrPayload], an [Unsupported] with
// no key, or an [Error] about a value that is none, is empty, or is not all of the payload.
// The value borrows from the payload.
func DecodePayload(p []byte) (v Value, err error) {
	if len(p) < payloadTail {
		return v, ErrPayload
	}
	body, sum := p[:len(p)-crcLen], p[len(p)-crcLen:]
	if binary.LittleEndian.Uint64(sum) != checksum(0, body) {
		return v, ErrPayload
	}
	body = body[:len(body)-2]
	if binary.LittleEndian.Uint16(p[len(body):]) > maxVersion {
		return v, ErrPayload
	}
	s := source{buf: body}
	kind, err := s.byte("the type of a value")
	switch {
	case err != nil:
		return v, err
	case typeName(kind) == "":
		return v, fault(0, "the type of a value", "%d", kind)
	case !holds(kind):
		return v, &Unsupported{Type: typeName(kind)}
	}
	if err := s.value(kind, &v); err != nil {
		return v, err
	}
	if v.Kind == store.Sorted && len(v.Items) == 0 {
		return v, fault(1, "a sorted set with members", "none")
	}
	if s.at != len(body) {
		return v, fault(s.offset(), "the end of the value", "%d bytes more", len(body)-s.at)
	}
	return v, nil
}
