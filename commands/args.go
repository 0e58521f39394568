package commands

import (
	"fmt"
	"math"

	"cellserver/internal/decimal"
)

// parseInt parses an integer argument as Redis does: the canonical decimal form of an
// int64; no spaces, no plus, no leading zeros.
func parseInt(b []byte) (int64, bool) { return decimal.Parse(b) }

// Int parses argument i as an integer, or answers with Redis's error.
func (c *Call) Int(i int) (int64, error) {
	n, ok := parseInt(c.Args[i])
	if !ok {
		return 0, errNotInteger
	}
	return n, nil
}

// Int32 parses argument i as an integer of 32 bits, or answers with Redis's error.
func (c *Call) Int32(i int) (int, error) {
	n, err := c.Int(i)
	if err == nil && (n < math.MinInt32 || n > math.MaxInt32) {
		err = Error(fmt.Sprintf("ERR value is out of range, value must between %d and %d", math.MinInt32, math.MaxInt32))
	}
	return int(n), err
}

// twoInts parses two integers that belong together.
func twoInts(a, b []byte) (x, y int64, err error) {
	x, ok := parseInt(a)
	y, ok2 := parseInt(b)
	if !ok || !ok2 {
		return 0, 0, errNotInteger
	}
	return x, y, nil
}

// timeout parses argument i as a number of milliseconds that is not negative.
func (c *Call) timeout(i int) (int64, error) {
	n, ok := parseInt(c.Args[i])
	switch {
	case !ok:
		return 0, errTimeout
	case n < 0:
		return 0, errTimeoutNeg
	}
	return n, nil
}

// onOff reads an argument that is ON or OFF.
func (c *Call) onOff(i int) (bool, error) {
	switch {
	case is(c.Args[i], "on"):
		return true, nil
	case is(c.Args[i], "off"):
		return false, nil
	}
	return false, errSyntax
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
