package resp

import (
	"bytes"
	"strconv"
	"strings"
)

// naive is the model for the parser: it reads one request from the start of b, each time from the start, by the rules
// of Redis 7.0.
func naive(b []byte, l Limits) (args []string, n int, found outcome, err error) {
	if b[0] != '*' {
		return naiveInline(b, l)
	}
	line, n, err := naiveLine(b, "\r", errArgsLineTooBig, l)
	if n < 0 || err != nil {
		return nil, 0, incomplete, err
	}
	count, ok := naiveLength(line[1:])
	switch {
	case !ok || count > int64(l.MaxArgs):
		return nil, 0, incomplete, errArgs
	case l.Unauthenticated && count > 10:
		return nil, 0, incomplete, errArgsUnauth
	case count <= 0:
		return nil, n, empty, nil
	}
	for range count {
		line, m, err := naiveLine(b[n:], "\r", errBulkLineTooBig, l)
		if m < 0 || err != nil {
			return nil, 0, incomplete, err
		}
		if b[n] != '$' {
			return nil, 0, incomplete, errNoBulk(b[n])
		}
		size, ok := naiveLength(line[1:])
		switch {
		case !ok || size < 0 || size > l.MaxBulk:
			return nil, 0, incomplete, errBulk
		case l.Unauthenticated && size > 16384:
			return nil, 0, incomplete, errBulkUnauth
		case len(b)-n-m < int(size)+2:
			return nil, 0, incomplete, nil
		}
		args = append(args, string(b[n+m:n+m+int(size)]))
		n += m + int(size) + 2
	}
	return args, n, complete, nil
}

// naiveLine returns the line at the start of b and its length with the line's end, or -1 if the line is not complete.
func naiveLine(b []byte, end string, tooBig ProtocolError, l Limits) (string, int, error) {
	i := bytes.IndexAny(b, end+"\x00")
	if i < 0 || b[i] == 0 || i > l.MaxInline {
		if len(b) > l.MaxInline {
			return "", -1, tooBig
		}
		return "", -1, nil
	}
	if end == "\n" {
		return string(b[:i]), i + 1, nil
	}
	if i+2 > len(b) {
		return "", -1, nil
	}
	return string(b[:i]), i + 2, nil
}

func naiveLength(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

func naiveInline(b []byte, l Limits) ([]string, int, outcome, error) {
	line, n, err := naiveLine(b, "\n", errInlineTooBig, l)
	if n < 0 || err != nil {
		return nil, 0, incomplete, err
	}
	args, ok := naiveSplit(strings.TrimSuffix(line, "\r"))
	switch {
	case !ok:
		return nil, 0, incomplete, errUnbalancedQuotes
	case len(args) == 0:
		return nil, n, empty, nil
	}
	return args, n, complete, nil
}

const blanks = " \t\n\v\f\r"

// naiveSplit splits s into words.
func naiveSplit(s string) (args []string, ok bool) {
	for s = strings.TrimLeft(s, blanks); s != ""; s = strings.TrimLeft(s, blanks) {
		word := ""
		for s != "" && !strings.ContainsRune(" \t\r\n", rune(s[0])) {
			quote := s[0]
			if quote != '"' && quote != '\'' {
				word, s = word+s[:1], s[1:]
				continue
			}
			inner, rest, ok := naiveQuoted(s[1:], quote)
			if !ok || rest != "" && !strings.Contains(blanks, rest[:1]) {
				return nil, false
			}
			word, s = word+inner, rest
			break
		}
		args = append(args, word)
	}
	return args, true
}

var naiveEscapes = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", 'b': "\b", 'a': "\a"}

// naiveQuoted decodes s up to the closing quote, and returns the text after it.
func naiveQuoted(s string, quote byte) (inner, rest string, ok bool) {
	for s != "" {
		switch {
		case s[0] == quote:
			return inner, s[1:], true
		case quote == '\'' && strings.HasPrefix(s, `\'`):
			inner, s = inner+"'", s[2:]
		case quote == '"' && s[0] == '\\' && len(s) > 1:
			if n, err := strconv.ParseUint(s[2:min(4, len(s))], 16, 8); s[1] == 'x' && len(s) >= 4 && err == nil {
				inner, s = inner+string([]byte{byte(n)}), s[4:]
			} else if e, special := naiveEscapes[s[1]]; special {
				inner, s = inner+e, s[2:]
			} else {
				inner, s = inner+s[1:2], s[2:]
			}
		default:
			inner, s = inner+s[:1], s[1:]
		}
	}
	return "", "", false
}
