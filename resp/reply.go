package resp

import "bytes"

// Reply reads a reply in RESP2, from its first element to its last. It reads arrays as their number of
// elements, and then element by element. The bytes are RESP, but the hub of a sidecar may have sent another
// reply than the caller wants.
type Reply struct {
	rest  []byte
	Short bool // more elements were read than the reply has
}

// ReplyOf returns the reply that bytes are.
func ReplyOf(b []byte) Reply { return Reply{rest: b} }

// Error returns the text of an error reply, and whether the reply is one.
func (r *Reply) Error() (text string, ok bool) {
	if len(r.rest) == 0 || r.rest[0] != '-' {
		return "", false
	}
	line, _, _ := bytes.Cut(r.rest[1:], []byte("\r\n"))
	return string(line), true
}

// Int reads an integer, or the number of elements of an array. It is below 0 at the end of the reply.
func (r *Reply) Int() int64 {
	if len(r.rest) == 0 {
		r.Short = true
		return -1
	}
	n, negative, at := int64(0), false, 1
	for ; at < len(r.rest) && r.rest[at] != '\r'; at++ {
		if c := r.rest[at]; c == '-' {
			negative = true
		} else {
			n = 10*n + int64(c-'0')
		}
	}
	r.rest = r.rest[min(at+len("\r\n"), len(r.rest)):]
	if negative {
		return -n
	}
	return n
}

// leastElement is the size of the smallest element in bytes: an empty text.
const leastElement = len("+\r\n")

// Elements reads the number of elements of an array. It is at least 0, and not more than the rest of the reply
// can hold.
func (r *Reply) Elements() int {
	return int(max(0, min(r.Int(), int64(len(r.rest)/leastElement))))
}

// Text reads a bulk string.
func (r *Reply) Text() string { return string(r.Bytes()) }

// Bytes reads a bulk string. The result is valid as long as the reply.
func (r *Reply) Bytes() []byte {
	n := r.Int()
	if n < 0 || n > int64(len(r.rest)-len("\r\n")) {
		return nil
	}
	s := r.rest[:n]
	r.rest = r.rest[n+2:]
	return s
}
