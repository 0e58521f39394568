package commands

import (
	"bytes"
	"strconv"
)

// scanOptions are what every command of SCAN's kind takes after its cursor.
type scanOptions struct {
	match []byte // a pattern, or nil
	count int64  // about how many to visit, at least 1
}

// defaultScanCount is Redis's.
const defaultScanCount = 10

// matches reports whether the pattern, if any, admits a name.
func (o *scanOptions) matches(name []byte) bool { return o.match == nil || glob(o.match, name) }

// parseScanOptions parses MATCH and COUNT. What it does not know goes to other with
// the argument after it, if that is not nil and there is one.
func parseScanOptions(args [][]byte, other func(word, arg []byte) bool) (o scanOptions, err error) {
	o.count = defaultScanCount
	for ; len(args) > 0; args = args[2:] {
		switch {
		case len(args) < 2:
			return o, errSyntax
		case is(args[0], "count"):
			n, ok := parseInt(args[1])
			if !ok {
				return o, errNotInteger
			}
			if n < 1 {
				return o, errSyntax
			}
			o.count = n
		case is(args[0], "match"):
			o.match = args[1]
			if len(o.match) == 1 && o.match[0] == '*' {
				o.match = nil // it admits the empty name, too
			}
		case other == nil || !other(args[0], args[1]):
			return o, errSyntax
		}
	}
	return o, nil
}

const errInvalidCursor Error = "ERR invalid cursor"

// parseCursor parses a cursor as C's strtoul does: a sign is fine, nothing is 0, what
// follows a NUL is ignored; leading spaces are not.
func parseCursor(b []byte) (uint64, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	if len(b) == 0 {
		return 0, nil
	}
	digits := b
	if b[0] == '-' || b[0] == '+' {
		digits = b[1:]
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	switch {
	case err != nil:
		return 0, errInvalidCursor
	case b[0] == '-':
		return -n, nil
	}
	return n, nil
}
