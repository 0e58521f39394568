package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// bodyLimit is the largest size of the body of a frame, in bytes. A message and a script have another limit.
const bodyLimit = 64 << 10

const (
	frameHeader = 9
	keptBuffer  = bodyLimit // a frameReader keeps no larger buffer between two frames
	firstRead   = 4 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged means that a frame is not as the other node wrote it.
var errDamaged = errors.New("the checksum of a frame is wrong")

// errTooLarge is the error of a body that is longer than its limit.
func errTooLarge(op operation, size, limit int) error {
	return fmt.Errorf("the body of operation %d has %d bytes, more than %d", op, size, limit)
}

// appendFrame appends a frame to bytes. Its body is all parts, one after the other.
func appendFrame(to []byte, op operation, parts ...[]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	to = slices.Grow(to, frameHeader+size)
	start := len(to)
	to = binary.LittleEndian.AppendUint32(to, uint32(size))
	to = append(to, 0, 0, 0, 0, byte(op))
	for _, part := range parts {
		to = append(to, part...)
	}
	binary.LittleEndian.PutUint32(to[start+4:], crc32.Checksum(to[start+8:], castagnoli))
	return to
}

// frameReader reads frames.
type frameReader struct {
	in      io.Reader
	message int // the limit of a published message, and of a script
	header  [frameHeader]byte
	body    []byte
}

// newFrameReader returns a frameReader. Published messages have at most the given number of bytes, with their
// channel, and so have scripts.
func newFrameReader(in io.Reader, messageLimit int) *frameReader {
	return &frameReader{in: in, message: messageLimit}
}

// next reads a frame. The body is valid until the next call. The error is io.EOF if the bytes end between
// two frames.
func (r *frameReader) next() (operation, []byte, error) {
	if cap(r.body) > keptBuffer {
		r.body = nil
	}
	if _, err := io.ReadFull(r.in, r.header[:]); err != nil {
		return 0, nil, err
	}
	size, sum, op := binary.LittleEndian.Uint32(r.header[0:]), binary.LittleEndian.Uint32(r.header[4:]),
		operation(r.header[8])
	limit, err := r.limit(op)
	if err != nil {
		return op, nil, err
	}
	if int64(size) > int64(limit) {
		return op, nil, errTooLarge(op, int(size), limit)
	}
	if err := r.read(int(size)); err != nil {
		return op, nil, err
	}
	if crc32.Update(crc32.Checksum(r.header[8:], castagnoli), castagnoli, r.body) != sum {
		return op, nil, errDamaged
	}
	return op, r.body, nil
}

func (r *frameReader) limit(op operation) (int, error) {
	switch {
	case op.isMessage():
		return r.message + channelSize, nil
	case op.isRequest() || op.isAnswer():
		return bodyLimit, nil
	}
	return 0, fmt.Errorf("operation %d is unknown: run the same release on every node", op)
}

// read reads a body. It allocates as the bytes arrive, not as the header promises.
func (r *frameReader) read(size int) error {
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

// unexpected makes the end of the bytes inside a frame or a line an error of its own.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// operation is the operation of a frame.
type operation uint8

// The operations. A request has one answer: opReply, opFailed or opRedirect. Nobody answers a message.
const (
	opHello    operation = 1 // who are you?
	opJoin     operation = 2 // add me to the cluster, or let me vote
	opForget   operation = 3 // remove a node from the cluster
	opFailover operation = 4 // make me the leader
	opState    operation = 5 // how are you?
	opInvite   operation = 6 // join this cluster
	opPublish  operation = 7 // a message for subscribers

	opPublishShard operation = 8 // a message for subscribers of the shard
	opScript       operation = 9 // the text of a script

	opReply    operation = 128 // the body is the answer
	opFailed   operation = 129 // the body is a sentence
	opRedirect operation = 130 // the body is the address of the leader, or empty if none is known
)

// isRequest reports whether an operation waits for an answer.
func (op operation) isRequest() bool { return op >= opHello && op <= opInvite }

// isMessage reports whether an operation is a published message or a script.
func (op operation) isMessage() bool { return op >= opPublish && op <= opScript }

// isAnswer reports whether an operation answers a request.
func (op operation) isAnswer() bool { return op >= opReply && op <= opRedirect }

// channelSize is the number of bytes that say how long the channel is.
const channelSize = 4

// errPublish means that the body of a published message is damaged.
var errPublish = errors.New("the channel of a published message is longer than its frame")

// appendPublish appends the frame of a published message.
func appendPublish(to []byte, shard bool, channel, text []byte) []byte {
	op := opPublish
	if shard {
		op = opPublishShard
	}
	var size [channelSize]byte
	binary.LittleEndian.PutUint32(size[:], uint32(len(channel)))
	return appendFrame(to, op, size[:], channel, text)
}

// parsePublish reads the body of a published message. The results are parts of the body.
func parsePublish(body []byte) (channel, text []byte, err error) {
	if len(body) < channelSize {
		return nil, nil, errPublish
	}
	size, rest := binary.LittleEndian.Uint32(body), body[channelSize:]
	if int64(size) > int64(len(rest)) {
		return nil, nil, errPublish
	}
	return rest[:size:size], rest[size:], nil
}
