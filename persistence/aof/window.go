package aof

import (
	"errors"
	"io"

	"cellserver/persistence/aof/format"
)

// window is the part of a file in memory. It moves from the beginning of the file to its end. It
// grows to the size of the largest requested piece.
type window struct {
	in          io.Reader
	size        int64 // of the file: limits what may be asked for
	buf         []byte
	memory      []byte // buf is a part of memory
	beforeReuse func() // is called before memory is overwritten
	at          int64  // offset in the file of buf[0]
	ended       bool
	failed      error // the read error
}

// windowSize is the number of bytes that are read at once.
const windowSize = 256 << 10

func newWindow(in io.Reader, at, size int64) *window {
	return &window{in: in, at: at, size: size, beforeReuse: func() {}}
}

// skip drops the next n bytes, which are in memory.
func (w *window) skip(n int) {
	w.buf = w.buf[n:]
	w.at += int64(n)
}

// need reads until n bytes are in memory. It reports whether the file has n more bytes.
func (w *window) need(n int) bool {
	for len(w.buf) < n && int64(n) <= w.size-w.at && w.more() {
	}
	return len(w.buf) >= n
}

// more reads the next bytes. It reports false at the end of the file, and after an error.
func (w *window) more() bool {
	if w.ended {
		return false
	}
	if free := cap(w.buf) - len(w.buf); free < windowSize/4 {
		w.makeSpace()
	}
	n, err := w.in.Read(w.buf[len(w.buf):cap(w.buf)])
	w.buf = w.buf[:len(w.buf)+n]
	if err != nil {
		w.ended = true
		if !errors.Is(err, io.EOF) {
			w.failed = err
		}
	}
	return n > 0 || err == nil
}

// whole calls parse with the next bytes, and reads more bytes while they are incomplete.
func (w *window) whole(parse func([]byte) (int, error)) (size int, err error) {
	for {
		size, err = parse(w.buf)
		if !errors.Is(err, format.ErrIncomplete) || !w.more() {
			return size, err
		}
	}
}

// makeSpace makes space behind the bytes in memory.
func (w *window) makeSpace() {
	w.beforeReuse()
	if n := max(windowSize, 2*len(w.buf)); n != cap(w.memory) {
		w.memory = make([]byte, 0, n)
	}
	w.buf = append(w.memory, w.buf...)
}

// The faults of a batch.
var (
	errBatchCut = errors.New("the batch of commands that begins here is cut off")
	errBatchSum = errors.New("the batch of commands that begins here has a wrong checksum")
)

// batch returns the commands of the next batch after it has verified their checksum, and the
// size of the batch with its header.
func (w *window) batch() (commands []byte, size int, err error) {
	if !w.need(format.HeaderSize) {
		return nil, 0, errBatchCut
	}
	sum, n, err := format.ParseHeader(w.buf)
	if err != nil {
		return nil, 0, err
	}
	size = format.HeaderSize + n
	if !w.need(size) {
		return nil, 0, errBatchCut
	}
	commands = w.buf[format.HeaderSize:size]
	if format.Checksum(commands) != sum {
		return nil, 0, errBatchSum
	}
	return commands, size, nil
}
