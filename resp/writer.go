package resp

import (
	"cellserver/internal/decimal"

	"github.com/tidwall/redcon"
)

// Writer builds replies in one buffer, each in the shape that its protocol version gives it.
// The zero Writer is ready and speaks RESP2. It is not safe for concurrent use.
type Writer struct {
	// Proto is the client's protocol version: 3 for RESP3, anything else for RESP2.
	Proto int

	buf []byte
}

// Int writes an integer reply (:n).
func (w *Writer) Int(n int64) { w.buf = appendInt(w.buf, n) }

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
	w.buf = buf
}

// appendInt appends an integer reply; many have one digit, or say -1.
func appendInt(dst []byte, n int64) []byte {
	switch {
	case uint64(n) < 10:
		return append(dst, ':', '0'+byte(n), '\r', '\n')
	case n == -1:
		return append(dst, ":-1\r\n"...)
	}
	return append(decimal.Append(append(dst, ':'), n), '\r', '\n')
}

// Bulk writes a bulk string; nil is the empty string, not a null.
func (w *Writer) Bulk(b []byte) { w.buf = redcon.AppendBulk(w.buf, b) }

// BulkString writes a bulk string.
func (w *Writer) BulkString(s string) { w.buf = redcon.AppendBulkString(w.buf, s) }

// BulkInt writes n in decimal as a bulk string, as GET does with a counter.
func (w *Writer) BulkInt(n int64) {
	var digits [20]byte
	w.Bulk(decimal.Append(digits[:0], n))
}

// Simple writes a simple string (+s). Line breaks inside become spaces.
func (w *Writer) Simple(s string) { w.buf = redcon.AppendString(w.buf, s) }

// OK writes +OK.
func (w *Writer) OK() { w.buf = redcon.AppendOK(w.buf) }

// Error writes an error reply. The text has no leading '-' and starts with its code ("ERR …",
// "WRONGTYPE …"). Line breaks inside become spaces.
func (w *Writer) Error(text string) { w.buf = redcon.AppendError(w.buf, text) }

// Null writes "no value": $-1 in RESP2, _ in RESP3.
func (w *Writer) Null() {
	if w.Proto == 3 {
		w.RawString("_\r\n")
		return
	}
	w.RawString("$-1\r\n")
}

// NullArray writes "no list", as an aborted EXEC does: *-1 in RESP2, _ in RESP3.
func (w *Writer) NullArray() {
	if w.Proto == 3 {
		w.RawString("_\r\n")
		return
	}
	w.RawString("*-1\r\n")
}

// Bool writes a truth value: :1 or :0 in RESP2, #t or #f in RESP3.
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

// BigNumber writes an integer of any size, given in decimal: a bulk string in RESP2, (n in RESP3.
func (w *Writer) BigNumber(decimal string) {
	if w.Proto == 3 {
		w.buf = append(w.buf, '(')
		w.RawString(decimal)
		w.RawString("\r\n")
		return
	}
	w.BulkString(decimal)
}

// Verbatim writes text for people, such as INFO's: a bulk string in RESP2, in RESP3 a verbatim
// string of the given format, which is three characters ("txt", "mkd").
func (w *Writer) Verbatim(format, s string) {
	if w.Proto != 3 {
		w.BulkString(s)
		return
	}
	w.buf = appendHeader(w.buf, '=', len(s)+len(format)+1)
	w.RawString(format)
	w.RawString(":")
	w.RawString(s)
	w.RawString("\r\n")
}

// Array starts an array; its n elements follow.
func (w *Writer) Array(n int) { w.buf = redcon.AppendArray(w.buf, n) }

// Map starts a map of n pairs; its keys and values follow in turn. RESP2 has an array of 2n.
func (w *Writer) Map(n int) {
	if w.Proto == 3 {
		w.buf = appendHeader(w.buf, '%', n)
		return
	}
	w.Array(2 * n)
}

// Set starts a set; its n members follow. RESP2 has an array.
func (w *Writer) Set(n int) {
	if w.Proto == 3 {
		w.buf = appendHeader(w.buf, '~', n)
		return
	}
	w.Array(n)
}

// Push starts an out-of-band message of n elements. RESP2 has an array.
func (w *Writer) Push(n int) {
	if w.Proto == 3 {
		w.buf = appendHeader(w.buf, '>', n)
		return
	}
	w.Array(n)
}

// Raw writes p, a complete reply already in the client's protocol version.
func (w *Writer) Raw(p []byte) { w.buf = append(w.buf, p...) }

// RawString is [Writer.Raw] for a string.
func (w *Writer) RawString(s string) { w.buf = append(w.buf, s...) }

// appendHeader appends the line that starts an aggregate.
func appendHeader(dst []byte, kind byte, n int) []byte {
	return append(decimal.Append(append(dst, kind), int64(n)), '\r', '\n')
}
