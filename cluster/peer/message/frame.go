package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// BodyLimit is the largest size of the body of a frame, in bytes. A published message has another limit.
const BodyLimit = 64 << 10

const (
	headerSize = 9
	keptBuffer = BodyLimit // a Reader keeps no larger buffer between two frames
	firstRead  = 4 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged means that a frame is not as the other node wrote it.
var ErrDamaged = errors.New("the checksum of a frame is wrong")

// A TooLargeError means that a body is longer than its limit.
type TooLargeError struct {
	Op          Op
	Size, Limit int
}

// Error says how long the body is.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body of operation %d has %d bytes, more than %d", e.Op, e.Size, e.Limit)
}

// Append appends a frame to bytes. Its body is all parts, one after the other.
func Append(to []byte, op Op, parts ...[]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	to = slices.Grow(to, headerSize+size)
	start := len(to)
	to = binary.LittleEndian.AppendUint32(to, uint32(size))
	to = append(to, 0, 0, 0, 0, byte(op))
	for _, part := range parts {
		to = append(to, part...)
	}
	binary.LittleEndian.PutUint32(to[start+4:], crc32.Checksum(to[start+8:], castagnoli))
	return to
}

// Reader reads frames.
type Reader struct {
	in      io.Reader
	publish int // the limit of a published message
	header  [headerSize]byte
	body    []byte
}

// NewReader returns a Reader. Published messages have at most the given number of bytes, with their channel.
func NewReader(in io.Reader, publishLimit int) *Reader { return &Reader{in: in, publish: publishLimit} }

// Next reads a frame. The body is valid until the next call. The error is io.EOF if the bytes end between
// two frames.
func (r *Reader) Next() (Op, []byte, error) {
	if cap(r.body) > keptBuffer {
		r.body = nil
	}
	if _, err := io.ReadFull(r.in, r.header[:]); err != nil {
		return 0, nil, err
	}
	size, sum, op := binary.LittleEndian.Uint32(r.header[0:]), binary.LittleEndian.Uint32(r.header[4:]), Op(r.header[8])
	limit, err := r.limit(op)
	if err != nil {
		return op, nil, err
	}
	if int64(size) > int64(limit) {
		return op, nil, &TooLargeError{op, int(size), limit}
	}
	if err := r.read(int(size)); err != nil {
		return op, nil, err
	}
	if crc32.Update(crc32.Checksum(r.header[8:], castagnoli), castagnoli, r.body) != sum {
		return op, nil, ErrDamaged
	}
	return op, r.body, nil
}

func (r *Reader) limit(op Op) (int, error) {
	switch {
	case op == Publish:
		return r.publish + channelSize, nil
	case op.IsRequest() || op.IsAnswer():
		return BodyLimit, nil
	}
	return 0, fmt.Errorf("operation %d is unknown: run the same release on every node", op)
}

// read reads a body. It allocates as the bytes arrive, not as the header promises.
func (r *Reader) read(size int) error {
	r.body = r.body[:0]
	for len(r.body) < size {
		have := len(r.body)
		next := min(size, max(2*have, firstRead, cap(r.body)))
		if cap(r.body) < next {
			grown := make([]byte, have, next)
			copy(grown, r.body)
			r.body = grown
		}
		r.body = r.body[:next]
		if _, err := io.ReadFull(r.in, r.body[have:]); err != nil {
			return unexpected(err)
		}
	}
	return nil
}

// unexpected makes the end of the bytes inside a frame an error of its own.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
