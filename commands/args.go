package commands

import "cellserver/store"

// parseInt parses an integer argument as Redis does: the canonical decimal form of an
// int64; no spaces, no plus, no leading zeros.
func parseInt(b []byte) (int64, bool) { return store.ParseInt(b) }

// Int parses argument i as an integer, or answers with Redis's error.
func (c *Call) Int(i int) (int64, error) {
	n, ok := parseInt(c.Args[i])
	if !ok {
		return 0, errNotInteger
	}
	return n, nil
}

// is reports whether an argument is a word, in any case. word is lower case.
func is(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		b := arg[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != word[i] {
			return false
		}
	}
	return true
}
