package backend

import (
	"bytes"
	"errors"
	"strconv"
)

// Bounds on one reply of a store. The client library makes room for a length as soon as it has read it, and
// keeps a line until its end.
const (
	mostParts = 1 << 20  // in all arrays of a reply
	mostDeep  = 16       // arrays inside each other: the library calls itself for each of them
	mostText  = 16 << 20 // bytes of a text
	mostReply = 32 << 20 // bytes of a reply
)

var errReply = errors.New("the store sends a reply with a type or a length that no reply of it has")

// lengths follow what a store sends, and find a type that RESP2 does not have, and a length that is too large.
type lengths struct {
	line  []byte // of what comes next: its type and its length
	skip  int    // the bytes of a text that are still to come
	open  []int  // the parts that are still to come, of each array that has not ended
	parts int    // in all arrays of this reply so far
	size  int    // the bytes of this reply so far
}

// check checks what has come next.
func (l *lengths) check(b []byte) error {
	from := b // where this reply, or the rest of it, begins
	for len(b) > 0 {
		if len(l.open)+l.skip+len(l.line) == 0 {
			l.parts, l.size, from = 0, 0, b
		}
		if l.skip > 0 {
			n := min(l.skip, len(b))
			l.skip, b = l.skip-n, b[n:]
			continue
		}
		part, rest, whole := bytes.Cut(b, []byte("\n"))
		l.line = append(l.line, part[:min(len(part), max(0, 24-len(l.line)))]...)
		if b = rest; !whole {
			break
		}
		if err := l.begin(l.line); err != nil {
			return err
		}
		l.line = l.line[:0]
	}
	if l.size += len(from); l.size > mostReply {
		return errReply
	}
	return nil
}

// begin takes the first line of a part of a reply.
func (l *lengths) begin(line []byte) error {
	if len(line) == 0 || bytes.IndexByte([]byte("+-:$*"), line[0]) < 0 {
		return errReply
	}
	n, err := 0, error(nil)
	isArray := line[0] == '*'
	if isArray || line[0] == '$' {
		if n, err = lengthIn(line); err != nil {
			return err
		}
	}
	last := len(l.open) - 1
	if last >= 0 {
		l.open[last]--
	}
	if isArray && n > 0 {
		l.open, l.parts = append(l.open, n), l.parts+n
		if l.parts > mostParts || len(l.open) > mostDeep {
			return errReply
		}
		return nil
	}
	if line[0] == '$' && n >= 0 {
		l.skip = n + len("\r\n")
	}
	for ; last >= 0 && l.open[last] == 0; last-- {
		l.open = l.open[:last]
	}
	return nil
}

// lengthIn returns the length in a line, -1 for none. The library reads digits only, and drops the last two
// bytes of the line.
func lengthIn(line []byte) (n int, err error) {
	digits, whole := bytes.CutSuffix(line[1:], []byte("\r"))
	n, err = strconv.Atoi(string(digits))
	if err != nil || !whole || n < -1 || n > mostText {
		return 0, errReply
	}
	return n, nil
}
