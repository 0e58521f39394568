package commands

import (
	"bytes"
	"math"
	"strconv"
)

// ParseFloat parses a score, weight or increment as Redis does (string2d of its util.c):
// the whole argument is what C's strtod reads, decimal or hexadecimal, or "inf" or
// "infinity"; no spaces, no NaN, and no magnitude too large or too small for a float64.
func ParseFloat(b []byte) (float64, bool) {
	f, err := strtod(b)
	if err != nil || f == 0 && hasDigit(b) {
		return 0, false
	}
	return f, true
}

// ParseBound parses one end of a range of scores as Redis does (zslParseRange of its
// t_zset.c), which is laxer: leading spaces are skipped, all after a NUL is ignored,
// nothing is 0, and what overflows is infinite.
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

// strtod reads a number in the syntax of C's strtod, all of b. NaN is an error; so is
// overflow, and then the number is infinite.
func strtod(b []byte) (float64, error) {
	if bytes.IndexByte(b, '_') >= 0 {
		return 0, strconv.ErrSyntax // a digit separator to Go only
	}
	s := string(b)
	if isHex(b) && bytes.IndexByte(b, 'p') < 0 && bytes.IndexByte(b, 'P') < 0 {
		s += "p0" // C may leave the exponent out
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

// hasDigit reports whether the mantissa of a number has a digit other than 0: if the
// number is 0 all the same, it was too small.
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
