package aof

import (
	"encoding/binary"
	"errors"

	"cellserver/store"
)

// A body has most effects as commands, but a key that gets an integer as a record: nearly every effect of a
// limiter. A record has a third of the bytes of a command, and no digits to read. All nodes have to write,
// send and read it.
//
//	1 byte    1, 2 if the key expires, or 3 if its expiry follows from the integer; a command begins with '*'
//	1-10      size of the key, as a varint
//	n         key
//	8         integer, little-endian
//	8         expiry in Unix milliseconds, little-endian, if the first byte is 2
const (
	recordForever  = 1
	recordExpiring = 2
	recordTAT      = 3 // the integer is a TAT in Unix nanoseconds: see [store.ExpiryOfTAT]
)

// numberSizes has the number of bytes after the key, for each kind of record.
var numberSizes = [...]uint64{recordForever: 8, recordExpiring: 16, recordTAT: 8}

// appendNumber appends the record of an effect that sets an integer.
func appendNumber(b []byte, f *store.Effect) []byte {
	first := byte(recordExpiring)
	switch f.At {
	case store.NoExpiry:
		first = recordForever
	case store.ExpiryOfTAT(f.Int):
		first = recordTAT
	}
	b = binary.AppendUvarint(append(b, first), uint64(len(f.Key)))
	b = binary.LittleEndian.AppendUint64(append(b, f.Key...), uint64(f.Int))
	if first == recordExpiring {
		b = binary.LittleEndian.AppendUint64(b, uint64(f.At))
	}
	return b
}

var errRecord = errors.New("a record of an integer is cut off, or has an unknown form")

// parseNumber returns the parts of the record at the beginning of b: its first byte, the key, and the
// numbers. args is room for them.
func parseNumber(b []byte, args [][]byte) (_ [][]byte, size int, err error) {
	if b[0] < recordForever || b[0] > recordTAT {
		return nil, 0, errRecord
	}
	numbers := numberSizes[b[0]]
	key, n := binary.Uvarint(b[1:])
	begins := uint64(1 + n)
	if n <= 0 || key > uint64(len(b)) || begins+key+numbers > uint64(len(b)) {
		return nil, 0, errRecord
	}
	ends := begins + key
	return append(args[:0], b[:1], b[begins:ends], b[ends:ends+numbers]), int(ends + numbers), nil
}

// isNumber reports whether the parts are those of a record, and not a command.
func isNumber(args [][]byte) bool { return len(args[0]) == 1 && args[0][0] <= recordTAT }

// applyNumber applies a record. Without memory for the key, the error is [store.ErrExhausted].
func (a *applier) applyNumber(args [][]byte) (err error) {
	defer store.RecoverExhausted(&err)
	v, at := int64(binary.LittleEndian.Uint64(args[2])), store.NoExpiry
	switch args[0][0] {
	case recordExpiring:
		at = int64(binary.LittleEndian.Uint64(args[2][8:]))
	case recordTAT:
		at = store.ExpiryOfTAT(v)
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.SetInt(v, at)
	return nil
}
