package lua51

// classEnd returns the end of the single character item that begins at p.
func (m *Matcher) classEnd(p int) int {
	c := m.Pattern[p]
	p++
	switch c {
	case '%':
		if p == len(m.Pattern) {
			panic(PatternError("malformed pattern (ends with '%')"))
		}
		return p + 1
	case '[':
		return m.setEnd(p)
	}
	return p
}

// setEnd returns the end of a set. Its [ is the character before p. A ] in the first place belongs to the
// set.
func (m *Matcher) setEnd(p int) int {
	if p < len(m.Pattern) && m.Pattern[p] == '^' {
		p++
	}
	for first := true; first || p < len(m.Pattern) && m.Pattern[p] != ']'; first = false {
		if p == len(m.Pattern) {
			break
		}
		m.Step()
		if p++; m.Pattern[p-1] == '%' && p < len(m.Pattern) {
			p++
		}
	}
	if p >= len(m.Pattern) {
		panic(PatternError("malformed pattern (missing ']')"))
	}
	return p + 1
}

// single reports whether a character matches the item from p to next.
func (m *Matcher) single(c byte, p, next int) bool {
	switch m.Pattern[p] {
	case '.':
		return true
	case '%':
		return isClass(c, m.Pattern[p+1])
	case '[':
		return m.set(c, p, next-1)
	}
	return m.Pattern[p] == c
}

// set reports whether a character is in the set from p, its [, to last, its ].
func (m *Matcher) set(c byte, p, last int) bool {
	is := true
	if m.Pattern[p+1] == '^' {
		is = false
		p++
	}
	for p++; p < last; p++ {
		m.Step()
		switch {
		case m.Pattern[p] == '%':
			p++
			if isClass(c, m.Pattern[p]) {
				return is
			}
		case m.Pattern[p+1] == '-' && p+2 < last:
			p += 2
			if m.Pattern[p-2] <= c && c <= m.Pattern[p] {
				return is
			}
		case m.Pattern[p] == c:
			return is
		}
	}
	return !is
}

// isClass reports whether a character is of a class such as %d; in upper case the class has all others.
func isClass(c, class byte) bool {
	in, ok := false, true
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < ' ' || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = isPunctuation(c)
	case 's':
		in = IsSpace(c)
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isHexDigit(c)
	case 'z':
		in = c == 0
	default:
		ok = false
	}
	if !ok || !isLetter(class) {
		return class == c
	}
	return in == (class >= 'a')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isPunctuation(c byte) bool { return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c) }
