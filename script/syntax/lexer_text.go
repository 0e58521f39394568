package syntax

import (
	"strings"

	"cellserver/script/lua51"
)

// number reads a number: digits and points, an exponent, and all letters that follow.
func (x *lexer) number() float64 {
	for c := x.peek(); isDigit(c) || c == '.'; c = x.peek() {
		x.save()
	}
	if c := x.peek(); c == 'e' || c == 'E' {
		x.save()
		if c := x.peek(); c == '+' || c == '-' {
			x.save()
		}
	}
	for c := x.peek(); isDigit(c) || isNameStart(c); c = x.peek() {
		x.save()
	}
	f, ok := lua51.ParseNumber(string(x.raw))
	if !ok {
		x.fail(string(x.raw), "malformed number")
	}
	return f
}

// longOpening reads the opening of a long text, such as [==[. If there is no opening, it has read nothing.
// If the opening is incomplete, it has read the text for the error.
func (x *lexer) longOpening() (level int, ok bool) {
	x.save()
	for x.peek() == '=' {
		x.save()
		level++
	}
	if x.peek() == '[' {
		x.save()
		return level, true
	}
	return level, false
}

// longText reads the rest of a long string or of a long comment.
func (x *lexer) longText(level int, isComment bool) string {
	if c := x.peek(); c == '\n' || c == '\r' {
		x.newline()
	}
	closing := "]" + strings.Repeat("=", level) + "]"
	var text []byte
	for {
		switch c := x.peek(); {
		case c == noByte && isComment:
			x.fail(eof.String(), "unfinished long comment")
		case c == noByte:
			x.fail(eof.String(), "unfinished long string")
		case c == '\n' || c == '\r':
			x.newline()
			text = append(text, '\n')
		case strings.HasPrefix(x.source[x.at:], closing):
			x.at += len(closing)
			x.raw = append(append(x.raw, text...), closing...)
			return string(text)
		default:
			if level == 0 && c == '[' && x.peekAt(1) == '[' && !isComment {
				x.raw = append(x.raw, text...)
				x.fail("[", "nesting of [[...]] is deprecated")
			}
			text = append(text, byte(c))
			x.at++
		}
	}
}

// quoted reads a string in quotes.
func (x *lexer) quoted() string {
	quote := x.peek()
	x.save()
	var text []byte
	for c := x.peek(); c != quote; c = x.peek() {
		switch c {
		case noByte:
			x.fail(eof.String(), "unfinished string")
		case '\n', '\r':
			x.fail(string(x.raw), "unfinished string")
		case '\\':
			x.at++
			text = x.escape(text)
		default:
			text = append(text, byte(c))
			x.save()
		}
	}
	x.save()
	return string(text)
}

const escapes = "a\ab\bf\fn\nr\rt\tv\v"

// escape reads what follows a \ and appends its meaning.
func (x *lexer) escape(text []byte) []byte {
	c := x.peek()
	switch {
	case c == noByte:
		return text // the next character is the end of the source, which is an error
	case c == '\n' || c == '\r':
		x.newline()
		x.raw = append(x.raw, '\n')
		return append(text, '\n')
	case isDigit(c):
		code := 0
		for i := 0; i < 3 && isDigit(x.peek()); i++ {
			code = code*10 + x.peek() - '0'
			x.at++
		}
		if code > 255 {
			x.fail(string(x.raw), "escape sequence too large")
		}
		x.raw = append(x.raw, byte(code))
		return append(text, byte(code))
	}
	if i := strings.IndexByte(escapes, byte(c)); i >= 0 && i%2 == 0 {
		c = int(escapes[i+1])
	}
	x.raw = append(x.raw, byte(c))
	x.at++
	return append(text, byte(c))
}
