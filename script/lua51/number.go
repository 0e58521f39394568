package lua51

import (
	"math"
	"strconv"
	"strings"
)

// The precisions with which numbers become text: tostring and .. use the first one, arguments of commands
// the second one.
const (
	ShownDigits = 14
	ExactDigits = 17
)

// AppendNumber appends a number as %.14g of C writes it.
func AppendNumber(dst []byte, f float64) []byte { return AppendG(dst, f, ShownDigits) }

// Number returns a number as tostring shows it.
func Number(f float64) string {
	if i := int64(f); float64(i) == f && i > -1e14 && i < 1e14 && (i != 0 || !math.Signbit(f)) {
		return strconv.FormatInt(i, 10)
	}
	return string(AppendNumber(nil, f))
}

// AppendG appends a number as %.<digits>g of C writes it.
func AppendG(dst []byte, f float64, digits int) []byte {
	switch {
	case math.IsNaN(f):
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', max(digits, 1), 64)
}

// IsSpace reports whether a byte is white space to C.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// ParseNumber reads a whole string as a number, as arithmetic on strings does. White space around the number
// does not count. A NUL ends the string, as in C.
func ParseNumber(s string) (float64, bool) {
	if nul := strings.IndexByte(s, 0); nul >= 0 {
		s = s[:nul]
	}
	start, end := 0, len(s)
	for start < end && IsSpace(s[start]) {
		start++
	}
	for end > start && IsSpace(s[end-1]) {
		end--
	}
	return parseTrimmed(s[start:end])
}

func parseTrimmed(s string) (float64, bool) {
	body := s
	if body != "" && (body[0] == '+' || body[0] == '-') {
		body = body[1:]
	}
	if body == "" {
		return 0, false
	}
	switch {
	case len(body) > 1 && body[0] == '0' && body[1]|0x20 == 'x':
		return parseHex(s, body[2:])
	case len(body) <= shortDigits && isDigits(body):
		return parseShort(s, body), true
	case isDecimal(body):
		f, _ := strconv.ParseFloat(s, 64) // a number that is too large is inf, as in C
		return f, true
	}
	return parseName(s, body)
}

// shortDigits is the largest number of decimal digits that a float64 always holds exactly.
const shortDigits = 15

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// parseShort parses a number of a few digits, with a sign.
func parseShort(s, digits string) float64 {
	n := int64(0)
	for i := range len(digits) {
		n = 10*n + int64(digits[i]-'0')
	}
	if s[0] == '-' {
		return -float64(n)
	}
	return float64(n)
}

// isDecimal reports whether a text is a decimal number without its sign.
func isDecimal(s string) bool {
	end, ok := mantissaEnd(s, isDigit)
	return ok && isExponent(s[end:], 'e')
}

// mantissaEnd returns the end of the digits at the start of a text, which may have a point. ok is false if
// there are no digits.
func mantissaEnd(s string, isDigit func(byte) bool) (end int, ok bool) {
	for point := false; end < len(s); end++ {
		switch {
		case isDigit(s[end]):
			ok = true
		case s[end] == '.' && !point:
			point = true
		default:
			return end, ok
		}
	}
	return end, ok
}

// isExponent reports whether a text is empty or an exponent.
func isExponent(s string, letter byte) bool {
	if s == "" {
		return true
	}
	if s[0]|0x20 != letter {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && isDigits(s)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHexDigit(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// parseHex reads a hexadecimal number, with a fraction and a binary exponent as C99 has it.
func parseHex(s, body string) (float64, bool) {
	end, ok := mantissaEnd(body, isHexDigit)
	if !ok || !isExponent(body[end:], 'p') {
		return 0, false
	}
	if end == len(body) {
		s += "p0"
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f, true
}

// parseName reads inf and nan, which strtod knows.
func parseName(s, body string) (float64, bool) {
	f := math.Inf(1)
	switch name := strings.ToLower(body); {
	case name == "inf" || name == "infinity":
	case name == "nan" || strings.HasPrefix(name, "nan(") && isNaNTail(name[4:]):
		f = math.Copysign(math.NaN(), 1)
	default:
		return 0, false
	}
	if s[0] == '-' {
		f = -f
	}
	return f, true
}

func isNaNTail(s string) bool {
	for i := range len(s) - 1 {
		if !isDigit(s[i]) && s[i] != '_' && (s[i] < 'a' || s[i] > 'z') {
			return false
		}
	}
	return strings.HasSuffix(s, ")")
}

// ParseBase reads an integer in a base from 2 to 36, as tonumber does: strtoul of C, whose sign wraps around.
func ParseBase(s string, base int) (float64, bool) {
	s, _, _ = strings.Cut(s, "\x00")
	s = strings.Trim(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && isHexDigit(s[2]) {
		s = s[2:]
	}
	n, digits := parseDigits(s, uint64(base))
	if digits == 0 || digits < len(s) {
		return 0, false
	}
	if negative && n != math.MaxUint64 {
		n = -n
	}
	return float64(n), true
}

// parseDigits reads digits until one is not of the base. A number that is too large becomes the largest one.
func parseDigits(s string, base uint64) (n uint64, digits int) {
	overflow := false
	for ; digits < len(s); digits++ {
		d := digitValue(s[digits])
		if d >= base {
			break
		}
		if n > (math.MaxUint64-d)/base {
			overflow = true
		}
		n = n*base + d
	}
	if overflow {
		n = math.MaxUint64
	}
	return n, digits
}

func digitValue(c byte) uint64 {
	switch {
	case isDigit(c):
		return uint64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return uint64(c|0x20-'a') + 10
	}
	return math.MaxUint64
}

// Int returns a number as an integer of C, towards zero. A number that does not fit gives the smallest
// integer, as on x86.
func Int(f float64) int64 {
	if f >= -math.MaxInt64-1 && f < math.MaxInt64 {
		return int64(f)
	}
	return math.MinInt64
}

// CInt returns a number as an int of C, towards zero. A number that does not fit gives the smallest int, as
// on x86.
func CInt(f float64) int64 {
	if n := Int(f); n == int64(int32(n)) {
		return n
	}
	return math.MinInt32
}

// Uint returns a number as an unsigned integer of C, in the bits of a signed one. One that is too large
// gives 0, as on x86.
func Uint(f float64) int64 {
	switch {
	case f >= math.MaxUint64:
		return 0
	case f >= math.MaxInt64:
		return int64(uint64(f))
	}
	return Int(f)
}

// maxNumber is the most bytes that NumberPrefix reads. Further digits do not change a number.
const maxNumber = 4096

// NumberPrefix reads the number at the start of a text, as strtod does. length is 0 if there is none.
func NumberPrefix(s string) (f float64, length int) {
	end := 0
	for end < len(s) && end < maxNumber && (isHexDigit(s[end]) || isLetter(s[end]) || strings.IndexByte("+-.()_", s[end]) >= 0) {
		end++
	}
	for end = numberEnd(s[:end]); end > 0; end-- {
		if f, ok := parseTrimmed(s[:end]); ok {
			return f, end
		}
	}
	return 0, 0
}

// numberEnd returns the last position at which a number can end. So NumberPrefix tries few ends.
func numberEnd(s string) int {
	i, exponent := 0, byte('e')
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digit := isDigit
	if strings.HasPrefix(strings.ToLower(s[i:min(len(s), i+2)]), "0x") {
		i, digit, exponent = i+2, isHexDigit, 'p'
	} else if i < len(s) && isLetter(s[i]) {
		return min(len(s), i+len("infinity"))
	}
	for point := false; i < len(s) && (digit(s[i]) || s[i] == '.' && !point); i++ {
		point = point || s[i] == '.'
	}
	if i < len(s) && s[i]|0x20 == exponent {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	return i
}

// Mod is a % b of Lua: a - floor(a/b)*b, with all its roundings.
func Mod(a, b float64) float64 {
	product := math.Floor(a/b) * b
	return a - product
}

// invalid corrects the sign of a NaN. If no operand is NaN, x86 gives the result a minus sign.
func invalid(result, a, b float64) float64 {
	if math.IsNaN(result) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(result, -1)
	}
	return result
}
