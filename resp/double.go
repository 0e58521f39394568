package resp

import (
	"math"
	"strconv"
)

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
