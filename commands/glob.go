package commands

import "bytes"

// maxStars is how many groups of * Redis follows, but for one at the end. A pattern of
// more matches nothing.
const maxStars = 1000

// glob reports whether a pattern matches all of s, by Redis's rules (stringmatchlen of
// its util.c): * is any bytes, ? any byte, [a-c] and [^a-c] classes, \ takes the next
// byte as it is. The empty string matches the empty pattern only. The time is at most
// the product of the lengths: only the last * is ever tried again.
func glob(pattern, s []byte) bool {
	if len(s) == 0 {
		return len(pattern) == 0
	}
	p := pattern
	var afterStar, from []byte // where to go on when what follows the last * fails
	stars := 0
	for {
		switch {
		case len(p) > 0 && p[0] == '*':
			if p = bytes.TrimLeft(p, "*"); len(p) == 0 {
				return true
			}
			if stars++; stars > maxStars {
				return false
			}
			afterStar, from = p, s
			continue
		case len(s) == 0:
			return len(p) == 0
		case len(p) > 0:
			if rest, ok := globByte(p, s[0]); ok {
				p, s = rest, s[1:]
				continue
			}
		}
		if stars == 0 {
			return false
		}
		from = from[1:]
		p, s = afterStar, from
	}
}

// globByte matches the first element of a pattern, which is no *, with one byte and
// returns the pattern behind it.
func globByte(p []byte, b byte) (rest []byte, ok bool) {
	switch {
	case p[0] == '?':
		return p[1:], true
	case p[0] == '[':
		return globClass(p[1:], b)
	case p[0] == '\\' && len(p) > 1:
		p = p[1:]
	}
	return p[1:], p[0] == b
}

// globClass matches the class whose [ stands before p. A missing ] is forgiven.
func globClass(p []byte, b byte) (rest []byte, ok bool) {
	not := len(p) > 0 && p[0] == '^'
	if not {
		p = p[1:]
	}
	for ; len(p) > 0 && p[0] != ']'; p = p[1:] {
		switch {
		case p[0] == '\\' && len(p) > 1:
			p = p[1:]
			ok = ok || p[0] == b
		case len(p) > 2 && p[1] == '-':
			from, to := int8(p[0]), int8(p[2]) // bytes have a sign, as C's char where Redis runs
			ok = ok || min(from, to) <= int8(b) && int8(b) <= max(from, to)
			p = p[2:]
		default:
			ok = ok || p[0] == b
		}
	}
	if len(p) > 0 {
		p = p[1:]
	}
	return p, ok != not
}

// globFold is glob in any case.
func globFold(pattern []byte, s string) bool {
	return glob(bytes.ToLower(pattern), bytes.ToLower([]byte(s)))
}
