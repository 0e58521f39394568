package syntax

import (
	"fmt"
	"strings"
)

// A kind is the kind of a token: a character, or one of these.
type kind int

const (
	eof kind = iota + 256
	nameToken
	stringToken
	numberToken
	and
	breakWord
	do
	elseWord
	elseif
	end
	falseWord
	forWord
	function
	ifWord
	in
	local
	nilWord
	not
	or
	repeat
	returnWord
	then
	trueWord
	until
	while
	concat
	dots
	equal
	greaterEqual
	lessEqual
	notEqual
)

// words has the text of each kind from eof on.
var words = strings.Fields("<eof> <name> <string> <number> and break do else elseif end false for function if in local nil not or repeat " +
	"return then true until while .. ... == >= <= ~=")

var reserved = func() map[string]kind {
	all := map[string]kind{}
	for k := and; k <= while; k++ {
		all[words[k-eof]] = k
	}
	return all
}()

func (k kind) String() string {
	switch {
	case k >= eof:
		return words[k-eof]
	case k < ' ' || k == 0x7f:
		return fmt.Sprintf("char(%d)", int(k))
	}
	return string([]byte{byte(k)})
}

// A token is a word of the source. text is the name, or what the string contains.
type token struct {
	kind   kind
	text   string
	number float64
}

// An Error is a script that does not compile, in the words of Lua 5.1.
type Error struct{ Text string }

// Error returns the text of Lua, which begins with the chunk and the line.
func (e *Error) Error() string { return e.Text }

// A lexer makes tokens of a source. raw is the text of the token that it reads, as it stands in the source.
type lexer struct {
	source string
	name   string // of the chunk, for errors
	at     int
	line   int
	raw    []byte
}

// fail ends the parser with an error. near is what the error points at.
func (x *lexer) fail(near, format string, args ...any) {
	text := fmt.Sprintf("%s:%d: %s", x.name, x.line, fmt.Sprintf(format, args...))
	near, _, _ = strings.Cut(near, "\x00") // as a string of C
	if near != "" && near != kind(0).String() { // the token is a NUL, which ends a string of C
		text += " near '" + near + "'"
	}
	panic(&Error{text})
}

const noByte = -1

func (x *lexer) peek() int { return x.peekAt(0) }

func (x *lexer) peekAt(i int) int {
	if x.at+i < len(x.source) {
		return int(x.source[x.at+i])
	}
	return noByte
}

// save moves a character into raw.
func (x *lexer) save() {
	x.raw = append(x.raw, x.source[x.at])
	x.at++
}

// newline skips one end of a line: \n, \r, or both.
func (x *lexer) newline() {
	first := x.source[x.at]
	x.at++
	if next := x.peek(); (next == '\n' || next == '\r') && next != int(first) {
		x.at++
	}
	x.line++
}

// next reads a token.
func (x *lexer) next() token {
	for {
		x.raw = x.raw[:0]
		switch c := x.peek(); {
		case c == noByte:
			return token{kind: eof}
		case c == '\n' || c == '\r':
			x.newline()
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			x.at++
		case c == '-' && x.peekAt(1) == '-':
			x.at += 2
			x.comment()
		default:
			return x.word(c)
		}
	}
}

func (x *lexer) comment() {
	if x.peek() == '[' {
		if level, ok := x.longOpening(); ok {
			x.longText(level, true)
			return
		}
	}
	for c := x.peek(); c != '\n' && c != '\r' && c != noByte; c = x.peek() {
		x.at++
	}
}

// word reads a token that begins with c.
func (x *lexer) word(c int) token {
	switch {
	case c == '[':
		if level, ok := x.longOpening(); ok {
			return token{kind: stringToken, text: x.longText(level, false)}
		} else if level > 0 {
			x.fail(string(x.raw), "invalid long string delimiter")
		}
		return token{kind: '['}
	case c == '"' || c == '\'':
		return token{kind: stringToken, text: x.quoted()}
	case isDigit(c) || c == '.' && isDigit(x.peekAt(1)):
		return token{kind: numberToken, number: x.number()}
	case isNameStart(c):
		return x.identifier()
	}
	return x.symbol(c)
}

func (x *lexer) identifier() token {
	start := x.at
	for c := x.peek(); isNameStart(c) || isDigit(c); c = x.peek() {
		x.at++
	}
	text := x.source[start:x.at]
	x.raw = append(x.raw, text...)
	if k, ok := reserved[text]; ok {
		return token{kind: k}
	}
	return token{kind: nameToken, text: text}
}

func (x *lexer) symbol(c int) token {
	second := x.peekAt(1)
	x.at++
	pair := func(k kind) token {
		x.at++
		return token{kind: k}
	}
	switch {
	case c == '=' && second == '=':
		return pair(equal)
	case c == '<' && second == '=':
		return pair(lessEqual)
	case c == '>' && second == '=':
		return pair(greaterEqual)
	case c == '~' && second == '=':
		return pair(notEqual)
	case c == '.' && second == '.':
		if x.at++; x.peek() == '.' {
			x.at++
			return token{kind: dots}
		}
		return token{kind: concat}
	}
	return token{kind: kind(c)}
}

func isDigit(c int) bool { return c >= '0' && c <= '9' }

func isNameStart(c int) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// near returns what an error at this token points at.
func (x *lexer) near(t token) string {
	switch t.kind {
	case nameToken, stringToken, numberToken:
		return string(x.raw)
	}
	return t.kind.String()
}
