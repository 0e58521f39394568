package lua51

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// A Directive is one % of a format: %-05.3f has the flags "-0", the width 5, the precision 3 and the verb 'f'.
type Directive struct {
	Flags            string
	Width, Precision int // Precision is -1 if there is none
	Verb             byte
}

// ParseDirective reads the directive after a %, and says how long it is. An error is the text of Lua.
func ParseDirective(s string) (d Directive, length int, problem string) {
	i := 0
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		i++
	}
	if i > 5 {
		return d, 0, "invalid format (repeated flags)"
	}
	d = Directive{Flags: s[:i], Precision: -1}
	d.Width, i = twoDigits(s, i)
	if i < len(s) && s[i] == '.' {
		d.Precision, i = twoDigits(s, i+1)
	}
	if i < len(s) && isDigit(s[i]) {
		return d, 0, "invalid format (width or precision too long)"
	}
	if i == len(s) {
		return d, i, ""
	}
	d.Verb = s[i]
	return d, i + 1, ""
}

func twoDigits(s string, i int) (n, next int) {
	for end := i + 2; i < len(s) && i < end && isDigit(s[i]); i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, i
}

func (d Directive) has(flag byte) bool { return strings.IndexByte(d.Flags, flag) >= 0 }

// character appends one character. A NUL ends what the directive makes, as a string of C.
func (d Directive) character(dst []byte, c byte) []byte {
	from := len(dst)
	dst = d.pad(dst, "", []byte{c}, false)
	if nul := bytes.IndexByte(dst[from:], 0); nul >= 0 {
		dst = dst[:from+nul]
	}
	return dst
}

// AppendInt appends an integer for the verbs d, i, o, u, x, X and c.
func (d Directive) AppendInt(dst []byte, n int64) []byte {
	switch d.Verb {
	case 'c':
		return d.character(dst, byte(n))
	case 'd', 'i':
		sign, digits := "", strconv.FormatUint(uint64(max(n, -n)), 10)
		if n < 0 {
			sign = "-"
		}
		return d.integer(dst, d.sign(sign), digits)
	case 'o':
		digits := strconv.FormatUint(uint64(n), 8)
		if d.has('#') && digits[0] != '0' && d.Precision <= len(digits) {
			digits = "0" + digits
		}
		return d.integer(dst, "", digits)
	case 'x', 'X':
		return d.hex(dst, uint64(n))
	}
	return d.integer(dst, "", strconv.FormatUint(uint64(n), 10))
}

func (d Directive) hex(dst []byte, n uint64) []byte {
	prefix, digits := "", strconv.FormatUint(n, 16)
	if d.has('#') && n != 0 {
		prefix = "0x"
	}
	if d.Verb == 'X' {
		prefix, digits = strings.ToUpper(prefix), strings.ToUpper(digits)
	}
	return d.integer(dst, prefix, digits)
}

func (d Directive) sign(sign string) string {
	switch {
	case sign != "":
	case d.has('+'):
		sign = "+"
	case d.has(' '):
		sign = " "
	}
	return sign
}

func (d Directive) integer(dst []byte, prefix, digits string) []byte {
	if d.Precision == 0 && digits == "0" {
		digits = ""
	}
	if missing := d.Precision - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return d.pad(dst, prefix, []byte(digits), d.Precision < 0)
}

// pad appends a prefix and a text in the width of the directive. Zeros go between the two.
func (d Directive) pad(dst []byte, prefix string, text []byte, zeros bool) []byte {
	missing := max(d.Width-len(prefix)-len(text), 0)
	switch {
	case d.has('-'):
		return spaces(append(append(dst, prefix...), text...), missing, ' ')
	case zeros && d.has('0'):
		return append(spaces(append(dst, prefix...), missing, '0'), text...)
	}
	return append(append(spaces(dst, missing, ' '), prefix...), text...)
}

func spaces(dst []byte, n int, c byte) []byte {
	for range n {
		dst = append(dst, c)
	}
	return dst
}

// AppendFloat appends a number for the verbs e, E, f, g and G.
func (d Directive) AppendFloat(dst []byte, f float64) []byte {
	sign := ""
	if math.Signbit(f) {
		sign, f = "-", math.Copysign(f, 1)
	}
	sign = d.sign(sign)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := AppendG(nil, f, 1)
		if d.Verb < 'a' {
			text = []byte(strings.ToUpper(string(text)))
		}
		return d.pad(dst, sign, text, false)
	}
	precision := d.Precision
	if precision < 0 {
		precision = 6
	}
	var text []byte
	if d.Verb|0x20 == 'g' {
		text = d.general(f, max(precision, 1))
	} else {
		text = strconv.AppendFloat(nil, f, d.Verb, precision, 64)
		if d.has('#') && precision == 0 {
			text = point(text)
		}
	}
	return d.pad(dst, sign, text, true)
}

// general formats for g and G. With the flag # it keeps the zeros at the end.
func (d Directive) general(f float64, precision int) []byte {
	if !d.has('#') {
		return strconv.AppendFloat(nil, f, d.Verb, precision, 64)
	}
	exponential := strconv.AppendFloat(nil, f, d.Verb-2, precision-1, 64) // the verb 'e' for 'g', and 'E' for 'G'
	at := strings.LastIndexAny(string(exponential), "eE")
	exponent, _ := strconv.Atoi(string(exponential[at+1:]))
	if exponent < -4 || exponent >= precision {
		if precision == 1 {
			return point(exponential)
		}
		return exponential
	}
	text := strconv.AppendFloat(nil, f, 'f', precision-1-exponent, 64)
	if precision-1-exponent == 0 {
		return point(text)
	}
	return text
}

// point puts the point of the flag # after the digits.
func point(text []byte) []byte {
	at := strings.IndexAny(string(text), "eE")
	if at < 0 {
		return append(text, '.')
	}
	return append(append(append([]byte{}, text[:at]...), '.'), text[at:]...)
}

// AppendString appends a text for the verb s.
func (d Directive) AppendString(dst []byte, s string) []byte {
	if d.Precision >= 0 && d.Precision < len(s) {
		s = s[:d.Precision]
	}
	return d.pad(dst, "", []byte(s), false)
}

// AppendQuoted appends a text for the verb q: as a literal that Lua reads back.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			dst = append(dst, '\\', c)
		case '\r':
			dst = append(dst, `\r`...)
		case 0:
			dst = append(dst, `\000`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
