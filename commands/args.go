package commands

import (
	"bytes"
	"math"
	"strconv"

	"cellserver/store"
)

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

// parseFloat parses a score or an increment as Redis does (C's strtod on the whole
// argument): decimal or hexadecimal, "inf", "infinity"; no spaces, no NaN.
func parseFloat(b []byte) (float64, bool) {
	if len(b) == 0 || bytes.ContainsAny(b, "_ \t\n\v\f\r\x00") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !isRange(err, f) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}

// isRange reports an underflow, which strtod rounds like any other number.
func isRange(err error, f float64) bool {
	return err.(*strconv.NumError).Err == strconv.ErrRange && !math.IsInf(f, 0)
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
