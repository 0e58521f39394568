package resp

import (
	"cellserver/internal/decimal"

	"github.com/tidwall/redcon"
)

// Writer writes replies to a buffer, in the form of the client's protocol version. The zero Writer is ready
// to use and writes RESP2. Without a limit it keeps everything until Reset. It is not safe for concurrent
// use.
type Writer struct {
	// Proto is the client's protocol version: 3 is RESP3, every other value is RESP2.
	Proto int

	buffer
}

// Int writes an integer reply (:n).
func (w *Writer) Int(n int64) { w.put(appendInt(w.buf, n)) }

// Ints writes an array of integers.
func (w *Writer) Ints(all ...int64) {
	buf := appendHeader(w.buf, '*', len(all))
	for _, n := range all {
		if uint64(n) < 10 {
			buf = append(buf, ':', '0'+byte(n), '\r', '\n')
			continue
		}
		buf = appendInt(buf, n)
	}
	w.put(buf)
}

// appendInt appends an integer reply. One digit and -1 are frequent, and have paths of their own.
func appendInt(dst []byte, n int64) []byte {
	switch {
	case uint64(n) < 10:
		return append(dst, ':', '0'+byte(n), '\r', '\n')
	case n == -1:
		return append(dst, ":-1\r\n"...)
	}
	return append(decimal.Append(append(dst, ':'), n), '\r', '\n')
}

// Bulk writes a bulk string. nil is the empty string, not a null.
func (w *Writer) Bulk(b []byte) {
	if len(w.buf)+len(b) > w.room {
		longBulk(w, b)
		return
	}
	w.buf = redcon.AppendBulk(w.buf, b)
}

// BulkString writes a bulk string.
func (w *Writer) BulkString(s string) {
	if len(w.buf)+len(s) > w.room {
		longBulk(w, s)
		return
	}
	w.buf = redcon.AppendBulkString(w.buf, s)
}

// longBulk writes a bulk string for which the last segment may lack the room.
func longBulk[T string | []byte](w *Writer, p T) {
	w.put(appendHeader(w.buf, '$', len(p)))
	spill(&w.buffer, p)
	w.RawString("\r\n")
}

// BulkInt writes n in decimal as a bulk string, as GET does with a counter.
func (w *Writer) BulkInt(n int64) {
	var digits [20]byte
	w.Bulk(decimal.Append(digits[:0], n))
}

// Simple writes a simple string (+s). A line break in s becomes a space.
func (w *Writer) Simple(s string) { w.put(redcon.AppendString(w.buf, s)) }

// OK writes +OK.
func (w *Writer) OK() { w.put(redcon.AppendOK(w.buf)) }

// Error writes an error reply. The text starts with its code ("ERR …", "WRONGTYPE …"), without '-'. A line
// break in it becomes a space.
func (w *Writer) Error(text string) { w.put(redcon.AppendError(w.buf, text)) }

// Null writes a missing value: $-1 in RESP2, _ in RESP3.
func (w *Writer) Null() {
	if w.Proto == 3 {
		w.RawString("_\r\n")
		return
	}
	w.RawString("$-1\r\n")
}

// NullArray writes a missing array, as an aborted EXEC returns: *-1 in RESP2, _ in RESP3.
func (w *Writer) NullArray() {
	if w.Proto == 3 {
		w.RawString("_\r\n")
		return
	}
	w.RawString("*-1\r\n")
}

// Bool writes a boolean: :1 or :0 in RESP2, #t or #f in RESP3.
func (w *Writer) Bool(b bool) {
	switch {
	case w.Proto == 3 && b:
		w.RawString("#t\r\n")
	case w.Proto == 3:
		w.RawString("#f\r\n")
	case b:
		w.RawString(":1\r\n")
	default:
		w.RawString(":0\r\n")
	}
}

// BigNumber writes a decimal integer of any size: a bulk string in RESP2, (n in RESP3.
func (w *Writer) BigNumber(decimal string) {
	if w.Proto == 3 {
		w.RawString("(")
		w.RawString(decimal)
		w.RawString("\r\n")
		return
	}
	w.BulkString(decimal)
}

// Verbatim writes text for people, such as the reply of INFO: a bulk string in RESP2, a verbatim string in
// RESP3. The format has three characters ("txt", "mkd").
func (w *Writer) Verbatim(format, s string) {
	if w.Proto != 3 {
		w.BulkString(s)
		return
	}
	w.put(appendHeader(w.buf, '=', len(s)+len(format)+1))
	w.RawString(format)
	w.RawString(":")
	w.RawString(s)
	w.RawString("\r\n")
}

// Array starts an array. Write its n elements next.
func (w *Writer) Array(n int) { w.put(redcon.AppendArray(w.buf, n)) }

// Map starts a map of n pairs. Write each key and its value next. In RESP2 it is an array of 2n elements.
func (w *Writer) Map(n int) {
	if w.Proto == 3 {
		w.put(appendHeader(w.buf, '%', n))
		return
	}
	w.Array(2 * n)
}

// Set starts a set. Write its n members next. In RESP2 it is an array.
func (w *Writer) Set(n int) {
	if w.Proto == 3 {
		w.put(appendHeader(w.buf, '~', n))
		return
	}
	w.Array(n)
}

// Push starts an out-of-band message of n elements. In RESP2 it is an array.
func (w *Writer) Push(n int) {
	if w.Proto == 3 {
		w.put(appendHeader(w.buf, '>', n))
		return
	}
	w.Array(n)
}

// Raw writes p: a complete reply in the client's protocol version.
func (w *Writer) Raw(p []byte) {
	if len(w.buf)+len(p) > w.room {
		spill(&w.buffer, p)
		return
	}
	w.buf = append(w.buf, p...)
}

// RawString is [Writer.Raw] for a string.
func (w *Writer) RawString(s string) {
	if len(w.buf)+len(s) > w.room {
		spill(&w.buffer, s)
		return
	}
	w.buf = append(w.buf, s...)
}

// appendHeader appends the first line of an aggregate.
func appendHeader(dst []byte, kind byte, n int) []byte {
	return append(decimal.Append(append(dst, kind), int64(n)), '\r', '\n')
}
