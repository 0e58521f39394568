package glob

import "bytes"

// maxStars is how many groups of * Redis follows; a * at the end does not count. A pattern
// with more groups matches nothing.
const maxStars = 1000

// Match reports whether a pattern matches all of s: * stands for any bytes, ? for any byte, [a-c] and [^a-c]
// for classes, and \ takes the next byte literally. The empty string matches the empty pattern alone.
func Match(pattern, s []byte) bool {
	if len(s) == 0 {
		return len(pattern) == 0
	}
	matched, sure := matchShort(pattern, s, shortWork)
	if !sure {
		return parseLong(pattern).match(s)
	}
	return matched
}

// matchShort is [Match] for a text that is not empty. It is not sure if more than some bytes of the pattern would
// have to be read. It retries only the last *.
func matchShort(p, s []byte, work int) (matched, sure bool) {
	var afterStar, from []byte // where to retry after the last *
	stars := 0
	for work >= 0 {
		switch {
		case len(p) > 0 && p[0] == '*':
			if p = bytes.TrimLeft(p, "*"); len(p) == 0 {
				return true, true
			}
			if stars++; stars > maxStars {
				return false, true
			}
			afterStar, from = p, s
			continue
		case len(s) == 0:
			return len(p) == 0, true
		case len(p) > 0:
			rest, ok := matchByte(p, s[0])
			work -= len(p) - len(rest)
			if ok {
				p, s = rest, s[1:]
				continue
			}
		}
		if stars == 0 {
			return false, true
		}
		from = from[1:]
		p, s = afterStar, from
	}
	return false, false
}

// matchByte matches one byte with the first element of a pattern, which is not *. It returns
// the rest of the pattern.
func matchByte(p []byte, b byte) (rest []byte, ok bool) {
	switch {
	case p[0] == '?':
		return p[1:], true
	case p[0] == '[':
		return matchClass(p[1:], b)
	case p[0] == '\\' && len(p) > 1:
		p = p[1:]
	}
	return p[1:], p[0] == b
}

// matchClass matches a byte with the class that starts at p, behind its [. A class may lack
// its ].
func matchClass(p []byte, b byte) (rest []byte, ok bool) {
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
			from, to := int8(p[0]), int8(p[2]) // signed, as C's char is on x86
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

// MatchFold is [Match] in any case.
func MatchFold(pattern []byte, s string) bool {
	return Match(bytes.ToLower(pattern), bytes.ToLower([]byte(s)))
}
