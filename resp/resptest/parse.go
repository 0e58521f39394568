package resptest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// The Go values of replies. A bulk string is a string, an integer an int64, an array an []any, a double a
// float64, a boolean a bool. The other kinds have the types below. So two replies are equal values only if
// their kinds and contents are equal; NaN equals nothing.
type (
	// Simple is a simple string (+).
	Simple string
	// Error is an error reply (-) or a bulk error (!), without the sign.
	Error string
	// Nil is a null: NilBulk, NilArray or Nil3.
	Nil byte
	// Pair is a key and its value in a Map.
	Pair struct{ Key, Value any }
	// Map is a map (%), in the order of the reply.
	Map []Pair
	// Set is a set (~), in the order of the reply.
	Set []any
	// Push is an out-of-band message (>).
	Push []any
	// Verbatim is a verbatim string (=).
	Verbatim struct{ Format, Text string }
	// BigNumber is a big number ((), in decimal.
	BigNumber string
)

// The nulls.
const (
	NilBulk  Nil = '$' // $-1
	NilArray Nil = '*' // *-1
	Nil3     Nil = '_' // _, RESP3's only one
)

// String returns the null as it is in the reply, without the line break.
func (n Nil) String() string {
	if n == Nil3 {
		return "_"
	}
	return string([]byte{byte(n)}) + "-1"
}

// Error makes an error reply a Go error.
func (e Error) Error() string { return string(e) }

// ErrIncomplete says that the reply needs more bytes. It is io.ErrUnexpectedEOF.
var ErrIncomplete = io.ErrUnexpectedEOF

// maxDepth bounds the nesting of a reply.
const maxDepth = 128

// Parse reads the first reply in b, RESP2 or RESP3, and returns it with its length in bytes. The
// error is ErrIncomplete, or says why the bytes are not RESP. Attributes are skipped.
func Parse(b []byte) (any, int, error) {
	p := parser{b: b}
	v, err := p.value(0)
	return v, p.pos, err
}

type parser struct {
	b   []byte
	pos int
}

var errSyntax = errors.New("no RESP")

// line reads a line, and returns it without CR LF.
func (p *parser) line() (string, error) {
	i := bytes.IndexByte(p.b[p.pos:], '\n')
	if i < 0 {
		return "", ErrIncomplete
	}
	line := p.b[p.pos : p.pos+i]
	if len(line) == 0 || line[len(line)-1] != '\r' || bytes.IndexByte(line, '\r') != len(line)-1 {
		return "", fmt.Errorf("%w: line %q", errSyntax, line)
	}
	p.pos += i + 1
	return string(line[:i-1]), nil
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: nested too deep", errSyntax)
	}
	line, err := p.line()
	if err != nil {
		return nil, err
	}
	if line == "" {
		return nil, fmt.Errorf("%w: empty line", errSyntax)
	}
	kind, rest := line[0], line[1:]
	switch kind {
	case '$', '!', '=':
		return p.blob(kind, rest)
	case '*', '%', '~', '>', '|':
		return p.aggregate(kind, rest, depth)
	}
	return scalar(kind, rest)
}

// scalar returns a reply of one line.
func scalar(kind byte, rest string) (any, error) {
	switch kind {
	case '+':
		return Simple(rest), nil
	case '-':
		return Error(rest), nil
	case ':':
		return wrap(strconv.ParseInt(rest, 10, 64))
	case ',':
		return double(rest)
	case '(':
		return BigNumber(rest), nil
	case '_':
		if rest == "" {
			return Nil3, nil
		}
	case '#':
		if rest == "t" || rest == "f" {
			return rest == "t", nil
		}
	}
	return nil, fmt.Errorf("%w: %q", errSyntax, string(kind)+rest)
}

// double accepts the doubles of RESP3: no hexadecimal, no underscore and no "infinity".
func double(s string) (any, error) {
	switch s {
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	case "nan":
		return math.NaN(), nil
	}
	for _, c := range s {
		if (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
			return nil, fmt.Errorf("%w: double %q", errSyntax, s)
		}
	}
	return wrap(strconv.ParseFloat(s, 64))
}

func wrap[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSyntax, err)
	}
	return v, nil
}

// length returns the number of bytes or elements. -1 is a null, for the kinds that have one.
func length(kind byte, s string) (int, error) {
	n, err := strconv.Atoi(s)
	null := n == -1 && (kind == '$' || kind == '*')
	if err != nil || n < 0 && !null || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%w: length %q", errSyntax, s)
	}
	return n, nil
}

func (p *parser) blob(kind byte, rest string) (any, error) {
	n, err := length(kind, rest)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return NilBulk, nil
	}
	if len(p.b)-p.pos-2 < n {
		return nil, ErrIncomplete
	}
	s := string(p.b[p.pos : p.pos+n])
	if string(p.b[p.pos+n:p.pos+n+2]) != "\r\n" {
		return nil, fmt.Errorf("%w: a string of %d bytes does not end there", errSyntax, n)
	}
	p.pos += n + 2
	switch {
	case kind == '!':
		return Error(s), nil
	case kind == '$':
		return s, nil
	case n < 4 || s[3] != ':':
		return nil, fmt.Errorf("%w: verbatim string %q", errSyntax, s)
	}
	return Verbatim{s[:3], s[4:]}, nil
}

func (p *parser) aggregate(kind byte, rest string, depth int) (any, error) {
	n, err := length(kind, rest)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return NilArray, nil
	}
	if kind == '%' || kind == '|' {
		m, err := p.pairs(n, depth)
		if err != nil || kind == '%' {
			return m, err
		}
		return p.value(depth)
	}
	list := []any{}
	for range n {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	switch kind {
	case '~':
		return Set(list), nil
	case '>':
		return Push(list), nil
	}
	return list, nil
}

func (p *parser) pairs(n, depth int) (any, error) {
	m := Map{}
	for range n {
		k, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m = append(m, Pair{k, v})
	}
	return m, nil
}
