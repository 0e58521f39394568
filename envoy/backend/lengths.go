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
	mostText  = 16 << 20 // bytes of a text
	mostReply = 32 << 20 // bytes of a reply
)

var errReply = errors.New("the store sends a reply with a length that no reply of it has")

// lengths follow what a store sends, and find a length that is too large.
type lengths struct {
	line []byte // of what comes next: its type and its length
	skip int    // the bytes of a text that are still to come
	open int    // the parts of arrays that are still to come
	size int    // the bytes of this reply so far
}

// check checks what has come next.
func (l *lengths) check(b []byte) error {
	from := b // where this reply, or the rest of it, begins
	for len(b) > 0 {
		if l.open+l.skip+len(l.line) == 0 {
			l.size, from = 0, b
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
		if err := l.begin(bytes.TrimRight(l.line, "\r")); err != nil {
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
	l.open = max(l.open-1, 0)
	if len(line) == 0 || line[0] != '$' && line[0] != '*' {
		return nil
	}
	n, err := strconv.Atoi(string(line[1:]))
	switch {
	case err != nil:
		return errReply
	case line[0] == '*':
		l.open += max(n, 0)
	case n >= 0:
		l.skip = n + len("\r\n")
	}
	if l.skip > mostText || l.open > mostParts {
		return errReply
	}
	return nil
}
