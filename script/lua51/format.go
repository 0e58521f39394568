package lua51

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Directive is one % of a format: %-05.3f has the flags "-0", the width 5, the precision 3 and the verb
// 'f'.
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

// spec returns the directive in the language of package fmt, without some flags.
func (d Directive) spec(without string, verb byte) string {
	spec := append(make([]byte, 0, 16), '%')
	for i := range len(d.Flags) {
		if strings.IndexByte(without, d.Flags[i]) < 0 {
			spec = append(spec, d.Flags[i])
		}
	}
	if d.Width > 0 {
		spec = strconv.AppendInt(spec, int64(d.Width), 10)
	}
	if d.Precision >= 0 {
		spec = strconv.AppendInt(append(spec, '.'), int64(d.Precision), 10)
	}
	return string(append(spec, verb))
}

// sign returns the sign of a number that is not negative.
func (d Directive) sign() string {
	switch {
	case d.has('+'):
		return "+"
	case d.has(' '):
		return " "
	}
	return ""
}

// AppendInt appends an integer for the verbs d, i, o, u, x, X and c. Package fmt differs from C in three
// cases: the sign of "%+.0d" for 0, the prefix of 0, and a prefix between zeros.
func (d Directive) AppendInt(dst []byte, n int64) []byte {
	switch d.Verb {
	case 'c':
		return d.character(dst, byte(n))
	case 'd', 'i':
		if n == 0 && d.Precision == 0 {
			return d.pad(dst, d.sign())
		}
		return fmt.Appendf(dst, d.spec("#", 'd'), n)
	case 'u':
		return fmt.Appendf(dst, d.spec("+ #", 'd'), uint64(n))
	case 'x', 'X':
		if n == 0 {
			return fmt.Appendf(dst, d.spec("+ #", d.Verb), 0)
		}
		if d.has('#') && d.has('0') && !d.has('-') && d.Precision < 0 {
			d.Width = max(d.Width-len("0x"), 0)
		}
	}
	return fmt.Appendf(dst, d.spec("+ ", d.Verb), uint64(n))
}

// character appends one character. A NUL ends what the directive makes, as a string of C.
func (d Directive) character(dst []byte, c byte) []byte {
	from := len(dst)
	dst = d.pad(dst, string([]byte{c}))
	if nul := bytes.IndexByte(dst[from:], 0); nul >= 0 {
		dst = dst[:from+nul]
	}
	return dst
}

// AppendFloat appends a number for the verbs e, E, f, g and G. Numbers without digits have other words than
// in package fmt.
func (d Directive) AppendFloat(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := string(AppendG(nil, f, 1))
		if !math.Signbit(f) {
			text = d.sign() + text
		}
		if d.Verb < 'a' {
			text = strings.ToUpper(text)
		}
		return d.pad(dst, text)
	}
	if d.Precision < 0 {
		d.Precision = 6
	}
	if d.Verb|0x20 == 'g' {
		d.Precision = max(d.Precision, 1)
	}
	return fmt.Appendf(dst, d.spec("", d.Verb), f)
}

// pad appends a text in the width of the directive. Package fmt would count characters, and C counts bytes.
func (d Directive) pad(dst []byte, text string) []byte {
	missing := strings.Repeat(" ", max(d.Width-len(text), 0))
	if d.has('-') {
		return append(append(dst, text...), missing...)
	}
	return append(append(dst, missing...), text...)
}

// AppendString appends a text for the verb s.
func (d Directive) AppendString(dst []byte, s string) []byte {
	if d.Precision >= 0 && d.Precision < len(s) {
		s = s[:d.Precision]
	}
	return d.pad(dst, s)
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
