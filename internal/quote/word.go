package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostOfWord is how many bytes of a word an error repeats.
const mostOfWord = 40

// Word returns a word as an error repeats it: in single quotes, cut if it is long, and with ? for each rune
// that is not printable. So a client can neither hide what it sent nor break the line of the error.
func Word[T string | []byte](word T) string {
	text, cut := string(word[:min(len(word), mostOfWord)]), len(word) > mostOfWord
	var b strings.Builder
	b.WriteByte('\'')
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case cut && !utf8.FullRuneInString(text): // the cut is in the middle of this rune
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		text = text[n:]
	}
	if cut {
		b.WriteString("…")
	}
	b.WriteByte('\'')
	return b.String()
}
