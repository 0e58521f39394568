package commands

import "cellserver/internal/decimal"

// ParseInt parses an integer argument as Redis does. It accepts only the canonical decimal form of
// an int64, without spaces, plus sign or leading zeros.
func ParseInt(b []byte) (int64, bool) { return decimal.Parse(b) }

// TwoInts parses two integers. The error is [ErrNotInteger].
func TwoInts(a, b []byte) (x, y int64, err error) {
	x, ok := ParseInt(a)
	y, ok2 := ParseInt(b)
	if !ok || !ok2 {
		return 0, 0, ErrNotInteger
	}
	return x, y, nil
}
