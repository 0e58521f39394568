package aof

import (
	"errors"
	"io"
)

// window is the part of a file that is in memory, while it is read from its beginning to
// its end. It is as large as what is asked for at once.
type window struct {
	in     io.Reader
	size   int64 // of the file: no more is asked for than there can be
	buf    []byte
	room   []byte // in which buf lies
	moves  func() // is called before that room is used for something else
	at     int64  // offset in the file of buf[0]
	ended  bool
	failed error // of reading
}

// windowSize is how much is read at once.
const windowSize = 256 << 10

func newWindow(in io.Reader, at, size int64) *window {
	return &window{in: in, at: at, size: size, moves: func() {}}
}

// skip forgets the next n bytes, which are in memory.
func (w *window) skip(n int) {
	w.buf = w.buf[n:]
	w.at += int64(n)
}

// need reads on until n bytes are in memory, and reports whether there are so many.
func (w *window) need(n int) bool {
	for len(w.buf) < n && int64(n) <= w.size-w.at && w.more() {
	}
	return len(w.buf) >= n
}

// more reads on; it reports false at the end of the file, and after an error.
func (w *window) more() bool {
	if w.ended {
		return false
	}
	if room := cap(w.buf) - len(w.buf); room < windowSize/4 {
		w.move()
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

// move makes room behind what is in memory.
func (w *window) move() {
	w.moves()
	if n := max(windowSize, 2*len(w.buf)); n != cap(w.room) {
		w.room = make([]byte, 0, n)
	}
	w.buf = append(w.room, w.buf...)
}

// What can be wrong with a batch.
var (
	errBatchCut = errors.New("the batch of commands that begins here is cut off")
	errBatchSum = errors.New("the batch of commands that begins here has not the checksum that it should have")
)

// batch returns the commands of the batch that comes next, once they are what the header
// says, and its size with the header.
func (w *window) batch() (commands []byte, size int, err error) {
	if !w.need(headerSize) {
		return nil, 0, errBatchCut
	}
	sum, n, err := parseHeader(w.buf)
	if err != nil {
		return nil, 0, err
	}
	size = headerSize + n
	if !w.need(size) {
		return nil, 0, errBatchCut
	}
	commands = w.buf[headerSize:size]
	if checksum(commands) != sum {
		return nil, 0, errBatchSum
	}
	return commands, size, nil
}
