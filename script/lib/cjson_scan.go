package lib

import (
	"strings"
	"unicode/utf8"

	"cellserver/script/lua51"
)

// The kinds of tokens of JSON, as errors name them.
const (
	objectBegin = "T_OBJ_BEGIN"
	objectEnd   = "T_OBJ_END"
	arrayBegin  = "T_ARR_BEGIN"
	arrayEnd    = "T_ARR_END"
	jsonString  = "T_STRING"
	jsonNumber  = "T_NUMBER"
	jsonBool    = "T_BOOLEAN"
	jsonNull    = "T_NULL"
	colon       = "T_COLON"
	comma       = "T_COMMA"
	jsonEnd     = "T_END"
)

var punctuation = map[byte]string{'{': objectBegin, '}': objectEnd, '[': arrayBegin, ']': arrayEnd, ':': colon, ',': comma}

// A jsonToken is one token. An invalid one has the text of its error as kind.
type jsonToken struct {
	kind   string
	at     int
	text   string
	number float64
	truth  bool
}

// A scanner splits JSON into tokens.
type scanner struct {
	text    string
	at      int
	invalid bool // accept numbers that JSON does not have
	count   func(bytes int)
}

// peek returns the next byte, and 0 at the end: a NUL ends the text.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) next() jsonToken {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = s.peek() {
		s.at++
	}
	t := jsonToken{at: s.at}
	c := s.peek()
	switch {
	case c == 0:
		t.kind = jsonEnd
	case punctuation[c] != "":
		t.kind = punctuation[c]
		s.at++
	case c == '"':
		s.string(&t)
	case c == '-' || c >= '0' && c <= '9':
		if !s.invalid && isInvalidNumber(s.text[s.at:]) {
			t.kind = "invalid number"
		} else {
			s.number(&t)
		}
	case strings.HasPrefix(s.text[s.at:], "true"):
		t.kind, t.truth = jsonBool, true
		s.at += len("true")
	case strings.HasPrefix(s.text[s.at:], "false"):
		t.kind = jsonBool
		s.at += len("false")
	case strings.HasPrefix(s.text[s.at:], "null"):
		t.kind = jsonNull
		s.at += len("null")
	case s.invalid && isInvalidNumber(s.text[s.at:]):
		s.number(&t)
	default:
		t.kind = "invalid token"
	}
	return t
}

// isInvalidNumber reports whether JSON does not allow a number: it begins with +, 0x or a superfluous zero,
// or it is inf or nan.
func isInvalidNumber(s string) bool {
	if s[0] == '+' {
		return true
	}
	s = strings.ToLower(strings.TrimPrefix(s[:min(len(s), 4)], "-"))
	if strings.HasPrefix(s, "0") && len(s) > 1 {
		return s[1] == 'x' || s[1] >= '0' && s[1] <= '9'
	}
	return strings.HasPrefix(s, "inf") || strings.HasPrefix(s, "nan")
}

// number reads as much as strtod of C would.
func (s *scanner) number(t *jsonToken) {
	f, length := lua51.NumberPrefix(s.text[s.at:])
	if length == 0 {
		t.kind = "invalid number"
		return
	}
	t.kind, t.number = jsonNumber, f
	s.at += length
}

// string reads a string. One without escapes is a part of the input.
func (s *scanner) string(t *jsonToken) {
	s.at++
	length, escapes := rawLength(s.text[s.at:])
	if end := s.at + length; !escapes && end < len(s.text) && s.text[end] == '"' {
		t.kind, t.text = jsonString, s.text[s.at:end]
		s.at = end + 1
		return
	}
	s.count(2 * length)
	text := make([]byte, 0, length)
	for {
		c := s.peek()
		switch c {
		case 0:
			t.kind, t.at = "unexpected end of string", s.at
			return
		case '"':
			s.at++
			t.kind, t.text = jsonString, string(text)
			return
		case '\\':
			var problem string
			if text, problem = s.escape(text); problem != "" {
				t.kind, t.at = problem, s.at
				return
			}
		default:
			text = append(text, c)
			s.at++
		}
	}
}

// rawLength returns how many bytes of a text are before the quote that ends a string, and whether escapes
// are among them.
func rawLength(text string) (n int, escapes bool) {
	for ; n < len(text) && text[n] != '"' && text[n] != 0; n++ {
		if text[n] == '\\' {
			escapes = true
			n++
		}
	}
	return min(n, len(text)), escapes
}

const jsonEscapes = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escape reads what begins with a \ and appends its meaning.
func (s *scanner) escape(text []byte) (longer []byte, problem string) {
	var c byte
	if s.at+1 < len(s.text) {
		c = s.text[s.at+1]
	}
	if c == 'u' {
		return s.unicode(text)
	}
	for i := 0; i < len(jsonEscapes); i += 2 {
		if jsonEscapes[i] == c {
			s.at += 2
			return append(text, jsonEscapes[i+1]), ""
		}
	}
	return text, "invalid escape code"
}

const escapeLength = len(`\u0000`)

func (s *scanner) unicode(text []byte) (longer []byte, problem string) {
	high, ok := hexCode(s.text[s.at:])
	length := escapeLength
	if ok && high&0xf800 == 0xd800 {
		var low rune
		ok = high&0x400 == 0
		if ok {
			low, ok = hexCode(s.text[s.at+escapeLength:])
			ok = ok && low&0xfc00 == 0xdc00
		}
		high = (high&0x3ff<<10 | low&0x3ff) + 0x10000
		length += escapeLength
	}
	if !ok {
		return text, "invalid unicode escape code"
	}
	s.at += length
	return utf8.AppendRune(text, high), ""
}

// hexCode reads \u and four digits.
func hexCode(s string) (code rune, ok bool) {
	if len(s) < escapeLength || s[:2] != `\u` {
		return 0, false
	}
	for _, c := range []byte(s[2:escapeLength]) {
		digit := strings.IndexByte(hexDigits, c|0x20)
		if c >= '0' && c <= '9' {
			digit = int(c - '0')
		}
		if digit < 0 {
			return 0, false
		}
		code = code<<4 | rune(digit)
	}
	return code, true
}
