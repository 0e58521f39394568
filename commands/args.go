package commands

import (
	"fmt"
	"math"

	"cellserver/internal/word"
)

// Int parses argument i as an int64. The error is [ErrNotInteger].
func (c *Call) Int(i int) (int64, error) {
	n, ok := ParseInt(c.Args[i])
	if !ok {
		return 0, ErrNotInteger
	}
	return n, nil
}

// Int32 parses argument i as an integer of 32 bits. Errors have the texts of Redis.
func (c *Call) Int32(i int) (int, error) {
	n, err := c.Int(i)
	if err == nil && (n < math.MinInt32 || n > math.MaxInt32) {
		err = Error(fmt.Sprintf("ERR value is out of range, value must between %d and %d",
			math.MinInt32, math.MaxInt32))
	}
	return int(n), err
}

// Timeout parses argument i as a number of milliseconds, 0 or more. Errors have the texts of Redis.
func (c *Call) Timeout(i int) (int64, error) {
	n, ok := ParseInt(c.Args[i])
	switch {
	case !ok:
		return 0, errTimeout
	case n < 0:
		return 0, errTimeoutNeg
	}
	return n, nil
}

// OnOff parses argument i as ON or OFF in any case. The error is [ErrSyntax].
func (c *Call) OnOff(i int) (bool, error) {
	switch {
	case Is(c.Args[i], "on"):
		return true, nil
	case Is(c.Args[i], "off"):
		return false, nil
	}
	return false, ErrSyntax
}

// ValidName reports whether a client or a library may have a name: printable ASCII without spaces.
func ValidName(name []byte) bool {
	for _, b := range name {
		if b < '!' || b > '~' {
			return false
		}
	}
	return true
}

// Is reports whether an argument is the word w in any case. w is lower case.
func Is(arg []byte, w string) bool { return word.Is(arg, w) }
