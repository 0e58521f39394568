package value

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var errInteger = errors.New("argument couldn't be parsed into an integer")

// Int64 accepts a decimal integer from lo to hi in its only valid form: without plus sign, leading zero or
// space.
func Int64(lo, hi int64) Kind[int64] {
	return one("integer "+bounds(lo, hi), func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != s {
			return 0, errInteger
		}
		return n, within(n, lo, hi)
	}, decimal)
}

// Int is [Int64] for a value that is kept in an int.
func Int(lo, hi int64) Kind[int] {
	wide := Int64(lo, hi)
	return Kind[int]{
		Values: wide.Values,
		Parse: func(args []string) (int, error) {
			n, err := wide.Parse(args)
			return int(n), err
		},
		Format: strconv.Itoa,
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func within(n, lo, hi int64) error {
	if n < lo || n > hi {
		return fmt.Errorf("argument must be between %d and %d inclusive", lo, hi)
	}
	return nil
}

// bounds describes a range for the reference. It leaves out an upper bound of 2^31-1 or more.
func bounds(lo, hi int64) string {
	if hi >= math.MaxInt32 {
		return "≥ " + decimal(lo)
	}
	return decimal(lo) + "…" + decimal(hi)
}

// Octal accepts the permission bits of a file.
var Octal = one("octal 0…777", func(s string) (uint32, error) {
	n, err := strconv.ParseInt(s, 8, 64)
	if err != nil {
		return 0, errors.New("argument couldn't be parsed as an octal number")
	}
	if n < 0 || n > 0o777 {
		return 0, errors.New("argument must be between 0 and 777 inclusive")
	}
	return uint32(n), nil
}, func(n uint32) string { return strconv.FormatUint(uint64(n), 8) })

// Memory accepts a number of bytes with an optional unit. CONFIG GET shows bytes.
func Memory(lo, hi int64) Kind[int64] {
	values := "memory such as 64mb"
	if lo > 0 {
		values += " ≥ " + decimal(lo)
	}
	return one(values, func(s string) (int64, error) {
		n, ok := ParseMemory(s)
		if !ok {
			return 0, errors.New("argument must be a memory value")
		}
		return n, within(n, lo, hi)
	}, decimal)
}

// MemoryOrPercent accepts memory, or a percentage. It keeps a percentage as a negative number.
var MemoryOrPercent = one("memory, or 0%…100%", func(s string) (int64, error) {
	if n, ok := ParseMemory(s); ok {
		return n, nil
	}
	digits, ok := strings.CutSuffix(s, "%")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || decimal(n) != digits {
		return 0, errors.New("argument must be a memory or percent value")
	}
	if n > 100 {
		return 0, errors.New("percentage argument must be less or equal to 100")
	}
	return -n, nil
}, func(n int64) string {
	if n < 0 {
		return decimal(-n) + "%"
	}
	return decimal(n)
})

var units = map[string]int64{
	"": 1, "b": 1,
	"k": 1000, "kb": 1 << 10,
	"m": 1000 * 1000, "mb": 1 << 20,
	"g": 1000 * 1000 * 1000, "gb": 1 << 30,
}

// ParseMemory parses digits and an optional unit (1k is 1000, 1kb is 1024, and so on). As in Redis, no digits
// mean 0. A number of bytes beyond an int64 is an error; Redis wraps it.
func ParseMemory(s string) (bytes int64, ok bool) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	unit, ok := units[strings.ToLower(s[digits:])]
	if !ok || digits == 0 {
		return 0, ok
	}
	n, err := strconv.ParseInt(s[:digits], 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// ParseLoose parses an integer as C's strtoll does, where Redis uses it: with leading spaces and a plus
// sign. The empty text is 0.
func ParseLoose(s string) (n int64, ok bool) {
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n\v\f\r"), 10, 64)
	return n, err == nil
}
