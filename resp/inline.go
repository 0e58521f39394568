package resp

// span is the place of an argument, relative to the first byte of its command.
type span struct{ start, end int }

// Sizes of an argument's bookkeeping, in bytes.
const (
	spanSize = 16
	argSize  = 24 // of a slice
)

// splitInline splits a line into arguments by Redis's quoting rules, and appends their spans. It decodes
// escapes in place, where they never get longer. It reports false if a quote is not closed, or if a word
// continues after a closing quote.
func splitInline(line []byte, spans []span) ([]span, bool) {
	r, w := 0, 0
	for {
		for r < len(line) && isSpace(line[r]) {
			r++
		}
		if r == len(line) {
			return spans, true
		}
		w = r
		start := w
		var ok bool
		if r, w, ok = inlineWord(line, r, w); !ok {
			return spans, false
		}
		spans = append(spans, span{start, w})
	}
}

// inlineWord decodes the word at r to position w. It returns the positions behind both.
func inlineWord(line []byte, r, w int) (int, int, bool) {
	for r < len(line) {
		c := line[r]
		r++
		switch c {
		case ' ', '\t', '\r', '\n':
			return r, w, true
		case '"':
			r, w = doubleQuoted(line, r, w)
			return r, w, r > 0
		case '\'':
			r, w = singleQuoted(line, r, w)
			return r, w, r > 0
		}
		line[w] = c
		w++
	}
	return r, w, true
}

// doubleQuoted decodes up to the closing quote: \xHH, \n \r \t \b \a. A backslash before any other byte
// is dropped. It returns r = -1 if the quote is not closed, or does not end its word.
func doubleQuoted(line []byte, r, w int) (int, int) {
	for ; r < len(line); r++ {
		c := line[r]
		if c == '"' {
			return quoteEnd(line, r), w
		}
		if c == '\\' && r+1 < len(line) {
			if r+3 < len(line) && line[r+1] == 'x' && isHex(line[r+2]) && isHex(line[r+3]) {
				c = unhex(line[r+2])<<4 | unhex(line[r+3])
				r += 3
			} else {
				r++
				c = unescape(line[r])
			}
		}
		line[w] = c
		w++
	}
	return -1, w
}

// singleQuoted decodes up to the closing quote. Its only escape is \'. It returns r = -1 as doubleQuoted
// does.
func singleQuoted(line []byte, r, w int) (int, int) {
	for ; r < len(line); r++ {
		c := line[r]
		if c == '\'' {
			return quoteEnd(line, r), w
		}
		if c == '\\' && r+1 < len(line) && line[r+1] == '\'' {
			r++
			c = '\''
		}
		line[w] = c
		w++
	}
	return -1, w
}

// quoteEnd returns the position behind the closing quote at r, or -1 if the word continues after
// it.
func quoteEnd(line []byte, r int) int {
	if r+1 < len(line) && !isSpace(line[r+1]) {
		return -1
	}
	return r + 1
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return c
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
