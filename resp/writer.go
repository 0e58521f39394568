package resp

import (
	"math"
	"strconv"

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
func (w *Writer) Error(text string) {
	w.put(redcon.AppendError(w.buf, text))
}

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

// DeferArray starts an array of unknown length. Write the elements, then give the handle and their number to
// [Writer.SetArray]. Deferred arrays nest: set the inner one first.
func (w *Writer) DeferArray() int { return w.Len() }

// SetArray ends an array that DeferArray started: it inserts the header for n elements before them.
func (w *Writer) SetArray(handle, n int) {
	if w.over {
		return
	}
	if at := handle - w.held; at >= 0 {
		w.put(insertHeader(w.buf, at, n))
		return
	}
	at, i := handle, 0
	for ; at >= len(w.full[i]); i++ {
		at -= len(w.full[i])
	}
	before := len(w.full[i])
	w.full[i] = insertHeader(w.full[i], at, n)
	w.held += len(w.full[i]) - before
	w.settle()
}

// insertHeader inserts the header of an array of n elements at a position of p.
func insertHeader(p []byte, at, n int) []byte {
	end := len(p)
	p = appendHeader(p, '*', n)
	var header [24]byte
	size := copy(header[:], p[end:])
	copy(p[at+size:], p[at:end])
	copy(p[at:], header[:size])
	return p
}

// Double writes f in the form of [FormatDouble]: a bulk string in RESP2, a double (,f) in RESP3.
func (w *Writer) Double(f float64) {
	if w.Proto == 3 {
		w.put(FormatDouble(append(w.buf, ','), f))
		w.RawString("\r\n")
		return
	}
	var digits [32]byte
	w.Bulk(FormatDouble(digits[:0], f))
}

// FormatDouble appends f as C's printf does with "%.17g". Redis 7.0 writes every score and distance so: 0.1
// is 0.10000000000000001, 1e17 is 1e+17, infinities are inf and -inf. Every NaN is nan.
func FormatDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	}
	// Most scores are whole numbers. Below 10^15 "%.17g" and "%d" write them the same.
	if n := int64(f); float64(n) == f && n > -1e15 && n < 1e15 && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10)
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}
