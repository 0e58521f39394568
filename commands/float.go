package commands

import (
	"bytes"
	"math"
	"strconv"
)

// ParseFloat parses a score, weight or increment as Redis does (string2d of its util.c). It accepts
// the syntax of C's strtod: decimal, hexadecimal, "inf" and "infinity". It refuses spaces, NaN,
// overflow and underflow.
func ParseFloat(b []byte) (float64, bool) {
	f, err := strtod(b)
	if err != nil || f == 0 && hasDigit(b) {
		return 0, false
	}
	return f, true
}

// ParseBound parses one end of a range of scores as Redis does (zslParseRange of its t_zset.c). It
// accepts more than ParseFloat: it skips leading spaces and ignores all bytes after a NUL. An empty
// text is 0, and an overflow is infinite.
func ParseBound(b []byte) (float64, bool) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	if len(b) == 0 {
		return 0, true
	}
	f, err := strtod(bytes.TrimLeft(b, " \t\n\v\f\r"))
	return f, err == nil || math.IsInf(f, 0)
}

// strtod parses all of b in the syntax of C's strtod. NaN is an error. Overflow is an error, too,
// and the returned number is infinite.
func strtod(b []byte) (float64, error) {
	if bytes.IndexByte(b, '_') >= 0 {
		return 0, strconv.ErrSyntax // only Go has digit separators
	}
	s := string(b)
	if isHex(b) && bytes.IndexByte(b, 'p') < 0 && bytes.IndexByte(b, 'P') < 0 {
		s += "p0" // Go requires the exponent, C does not
	}
	f, err := strconv.ParseFloat(s, 64)
	if math.IsNaN(f) {
		return 0, strconv.ErrSyntax
	}
	return f, err
}

func isHex(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x'
}

// hasDigit reports whether the mantissa of a number has a digit other than 0. If such a number
// parses to 0, it is too small for a float64.
func hasDigit(b []byte) bool {
	hex := isHex(b)
	if hex {
		b = b[bytes.IndexByte(b, '0')+2:]
	}
	for _, c := range b {
		switch {
		case '1' <= c && c <= '9':
			return true
		case hex && 'a' <= c|0x20 && c|0x20 <= 'f':
			return true
		case c|0x20 == 'e' || c|0x20 == 'p':
			return false
		}
	}
	return false
}
