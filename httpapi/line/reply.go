package line

import "bytes"

// Reply reads a reply in RESP2, from its first element to its last. It reads arrays as their number of
// elements, and then element by element. The server has written the bytes, so Reply does not check them.
type Reply struct{ rest []byte }

// Error returns the text of an error reply, "" if the reply is not an error.
func (r *Reply) Error() string {
	if len(r.rest) == 0 || r.rest[0] != '-' {
		return ""
	}
	return string(r.next())
}

// Int reads an integer, or the number of elements of an array.
func (r *Reply) Int() int64 {
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

// Text reads a bulk string.
func (r *Reply) Text() string { return string(r.Bytes()) }

// Bytes reads a bulk string. The result is valid as long as the reply.
func (r *Reply) Bytes() []byte {
	n := r.Int()
	if n < 0 || int(n)+2 > len(r.rest) {
		return nil
	}
	s := r.rest[:n]
	r.rest = r.rest[n+2:]
	return s
}

// next returns a line without its type and its end.
func (r *Reply) next() []byte {
	end := bytes.IndexByte(r.rest, '\n')
	if end < 2 {
		r.rest = nil
		return nil
	}
	one := r.rest[1 : end-1]
	r.rest = r.rest[end+1:]
	return one
}
