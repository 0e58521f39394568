package router

import (
	"bytes"
	"errors"

	"cellserver/internal/decimal"
)

// errFrame means that a node does not speak RESP.
var errFrame = errors.New("the hub sends bytes that are not RESP")

// frame finds where a reply ends, in bytes that may arrive in pieces. It keeps none of them.
type frame struct {
	left int64 // elements of the reply that are not complete
	bulk int64 // bytes of a string that are still to come, with its line end
	line bool  // the end of a long line is still to come

	pushes bool // there may be messages between the replies
	push   bool // this is one
}

// most bounds the elements of a reply, and the bytes of a string.
const most = 1 << 40

// longestHeader bounds the first line of an element. A longer simple string or error comes in pieces.
const longestHeader = 64 << 10

// scan returns how many of the bytes belong to the reply, and whether the reply ends there. It takes whole
// lines, and pieces of long ones.
func (f *frame) scan(p []byte) (n int, done bool, err error) {
	if f.left == 0 {
		f.left = 1
		f.push = f.pushes && len(p) > 0 && p[0] == '>'
	}
	for f.left > 0 {
		if f.bulk > 0 {
			step := min(f.bulk, int64(len(p)-n))
			n, f.bulk = n+int(step), f.bulk-step
			if f.bulk > 0 {
				return n, false, nil
			}
			if f.left--; p[n-1] != '\n' {
				return n, false, errFrame
			}
			continue
		}
		end := bytes.IndexByte(p[n:], '\n')
		switch {
		case end < 0 && !f.line && len(p)-n <= longestHeader:
			return n, false, nil
		case end < 0:
			if f.line = f.line || isText(p[n]); !f.line {
				return n, false, errFrame
			}
			return len(p), false, nil
		case f.line:
			f.line = false
			f.left--
		case end < 2 || p[n+end-1] != '\r' || !f.header(p[n], p[n+1:n+end-1]):
			return n, false, errFrame
		}
		n += end + 1
	}
	return n, true, nil
}

// Elements finds the elements of an array that arrives in the pieces of a [Sink].
type Elements struct {
	element frame
	next    int
	inside  bool // the first line of the array has come
}

// Each calls do with the index and the first bytes of each element that begins in a piece. There is none in
// a reply that is no array.
func (e *Elements) Each(piece []byte, do func(i int, begin []byte)) {
	if !e.inside {
		if piece[0] != '*' {
			return
		}
		e.inside = true
		piece = piece[bytes.IndexByte(piece, '\n')+1:]
	}
	for len(piece) > 0 {
		begins := e.element.left == 0
		n, done, err := e.element.scan(piece)
		if n == 0 || err != nil {
			return
		}
		if begins {
			do(e.next, piece[:n])
		}
		if piece = piece[n:]; done {
			e.next++
		}
	}
}

// isText reports whether an element is one line of any length.
func isText(kind byte) bool { return kind == '+' || kind == '-' || kind == '(' }

// header reads the first line of an element: its type, and the rest without the line end.
func (f *frame) header(kind byte, text []byte) (ok bool) {
	size := int64(0)
	switch kind {
	case '+', '-', ':', '_', ',', '#', '(':
		f.left--
		return true
	}
	if size, ok = decimal.Parse(text); !ok || size < -1 || size > most {
		return false
	}
	switch kind {
	case '$', '=', '!':
		if size < 0 {
			f.left--
		} else {
			f.bulk = size + 2
		}
	case '>':
		f.left += max(size, 0) - 1
		ok = f.push
	case '*', '~':
		f.left += max(size, 0) - 1
	case '%':
		f.left += 2*max(size, 0) - 1
	case '|': // attributes stand before an element
		f.left += 2 * max(size, 0)
	default:
		return false
	}
	return ok && f.left <= most
}
