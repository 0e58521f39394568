package encoding

import (
	"encoding/binary"
	"io"
	"math"

	"cellserver/internal/decimal"
	"cellserver/internal/pieces"
)

// Encoder collects primitives in one buffer and writes them, a chunk at a time. After an error of its
// writer it writes nothing more.
type Encoder struct {
	// NoChecksum skips the checksum (rdbchecksum no).
	NoChecksum bool

	out io.Writer // nil: everything stays in buf
	buf []byte
	crc uint64 // of all bytes that have left buf
	err error
}

// NewEncoder returns an encoder that writes to out.
func NewEncoder(out io.Writer) Encoder {
	return Encoder{out: out, buf: make([]byte, 0, 2*ChunkSize)}
}

// AppendTo makes the encoder append everything to b. [Encoder.Bytes] returns the result.
func (e *Encoder) AppendTo(b []byte) { *e = Encoder{buf: b} }

// Bytes returns the collected bytes that are not written yet.
func (e *Encoder) Bytes() []byte { return e.buf }

// Byte appends one byte.
func (e *Encoder) Byte(b byte) { e.buf = append(e.buf, b) }

// Raw appends bytes as they are.
func (e *Encoder) Raw(b string) { e.buf = append(e.buf, b...) }

// Uint64 appends 8 bytes, little-endian.
func (e *Encoder) Uint64(n uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, n) }

// Double appends a number as 8 little-endian bytes of IEEE 754.
func (e *Encoder) Double(f float64) { e.Uint64(math.Float64bits(f)) }

// Length appends a length in as few bytes as possible.
func (e *Encoder) Length(n uint64) { e.buf = appendLength(e.buf, n) }

// Int appends an integer as a string: in 1, 2 or 4 bytes, else as its digits.
func (e *Encoder) Int(n int64) { e.buf = appendInt(e.buf, n) }

// Text appends a string. A string that is an integer of at most 32 bits is appended as that integer. A
// string that is longer than a chunk is written without a copy.
func (e *Encoder) Text(b []byte) {
	if n, ok := decimal.Parse(b); ok {
		e.buf = appendInt(e.buf, n)
		return
	}
	e.buf = appendLength(e.buf, uint64(len(b)))
	if e.out == nil || len(b) < ChunkSize {
		e.buf = pieces.Append(e.buf, b)
		return
	}
	if e.Flush() == nil {
		e.write(b)
	}
}

// FlushChunk writes the collected bytes if they fill a chunk. It returns the first error of all writes.
func (e *Encoder) FlushChunk() error {
	if e.out == nil || len(e.buf) < ChunkSize {
		return e.err
	}
	return e.Flush()
}

// Flush writes the collected bytes. It returns the first error of all writes.
func (e *Encoder) Flush() error {
	e.write(e.buf)
	e.buf = e.buf[:0]
	return e.err
}

func (e *Encoder) write(p []byte) {
	if e.err == nil {
		if !e.NoChecksum {
			e.crc = Checksum(e.crc, p)
		}
		_, e.err = e.out.Write(p)
	}
}

// Sum returns the checksum of all bytes so far, or 0 with NoChecksum.
func (e *Encoder) Sum() uint64 {
	if e.NoChecksum {
		return 0
	}
	return Checksum(e.crc, e.buf)
}

func appendLength(b []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(b, len6|byte(n))
	case n < 1<<14:
		return append(b, len14|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, len32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, len64), n)
}

func appendInt(b []byte, n int64) []byte {
	switch {
	case n == int64(int8(n)):
		return append(b, lenSpecial|encInt8, byte(n))
	case n == int64(int16(n)):
		return binary.LittleEndian.AppendUint16(append(b, lenSpecial|encInt16), uint16(n))
	case n == int64(int32(n)):
		return binary.LittleEndian.AppendUint32(append(b, lenSpecial|encInt32), uint32(n))
	}
	at := len(b)
	b = decimal.Append(append(b, 0), n)
	b[at] = len6 | byte(len(b)-at-1) // at most 20 digits
	return b
}
