package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is a sort of value: how its arguments are read and how CONFIG GET shows it.
type kind[T any] struct {
	values string // what it takes, for the reference
	many   bool
	parse  func(args []string) (T, error)
	format func(T) string
}

var errArgs = errors.New("wrong number of arguments")

// one is a kind of exactly one argument.
func one[T any](values string, parse func(string) (T, error), format func(T) string) kind[T] {
	return kind[T]{values: values, format: format, parse: func(args []string) (T, error) {
		if len(args) != 1 {
			var zero T
			return zero, errArgs
		}
		return parse(args[0])
	}}
}

var yesno = one("yes, no", func(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, errors.New("argument must be 'yes' or 'no'")
}, func(v bool) string {
	if v {
		return "yes"
	}
	return "no"
})

func same(s string) string { return s }

// then is a kind whose well-formed values are put right in silence.
func then[T any](k kind[T], right func(T) T) kind[T] {
	parse := k.parse
	k.parse = func(args []string) (T, error) {
		v, err := parse(args)
		if err == nil {
			v = right(v)
		}
		return v, err
	}
	return k
}

// text takes any bytes.
var text = checked("text", func(string) string { return "" })

// checked takes the texts of which fault says nothing.
func checked(values string, fault func(string) string) kind[string] {
	return one(values, func(s string) (string, error) {
		if why := fault(s); why != "" {
			return "", errors.New(why)
		}
		return s, nil
	}, same)
}

// enum takes one of the words, in any case.
func enum[T ~string](words ...T) kind[T] {
	all := join(words, func(w T) string { return string(w) + "," })
	all = strings.TrimSuffix(all, ",")
	pick := func(args []string) (T, error) {
		if len(args) == 1 {
			low := T(strings.ToLower(args[0]))
			if slices.Contains(words, low) {
				return low, nil
			}
		}
		return "", errors.New("argument(s) must be one of the following: " + all)
	}
	return kind[T]{values: all, parse: pick, format: func(v T) string { return string(v) }}
}

var errInteger = errors.New("argument couldn't be parsed into an integer")

// wide takes a decimal integer within bounds, written the one canonical way: no
// plus, no leading zero, no space.
func wide(lo, hi int64) kind[int64] {
	return one("integer "+bounds(lo, hi), func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != s {
			return 0, errInteger
		}
		return n, within(n, lo, hi)
	}, decimal)
}

// number is wide for what is held in an int.
func number(lo, hi int64) kind[int] {
	w := wide(lo, hi)
	return kind[int]{
		values: w.values,
		parse: func(args []string) (int, error) {
			n, err := w.parse(args)
			return int(n), err
		},
		format: strconv.Itoa,
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func within(n, lo, hi int64) error {
	if n < lo || n > hi {
		return fmt.Errorf("argument must be between %d and %d inclusive", lo, hi)
	}
	return nil
}

// bounds names a range for the reference; the ends of the machine's integers are no
// news to anyone.
func bounds(lo, hi int64) string {
	if hi >= math.MaxInt32 {
		return "≥ " + decimal(lo)
	}
	return decimal(lo) + "…" + decimal(hi)
}

// memory takes a number of bytes with an optional unit. GET shows bytes.
func memory(lo, hi int64) kind[int64] {
	values := "memory"
	if lo > 0 {
		values += " ≥ " + decimal(lo)
	}
	return one(values, func(s string) (int64, error) {
		n, ok := parseMemory(s)
		if !ok {
			return 0, errors.New("argument must be a memory value")
		}
		return n, within(n, lo, hi)
	}, decimal)
}

// memoryOrPercent takes a memory value, or a percentage, held negative.
var memoryOrPercent = one("memory, or 0%…100%", func(s string) (int64, error) {
	if n, ok := parseMemory(s); ok {
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

// parseMemory reads digits and a unit (k = 1000, kb = 1024, and so on). As in Redis no
// digits are zero; unlike there, what does not fit an int64 is refused instead of wrapped.
func parseMemory(s string) (int64, bool) {
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

// octal takes permission bits.
var octal = one("octal 0…777", func(s string) (uint32, error) {
	n, err := strconv.ParseInt(s, 8, 64)
	if err != nil {
		return 0, errors.New("argument couldn't be parsed as an octal number")
	}
	if n < 0 || n > 0o777 {
		return 0, errors.New("argument must be between 0 and 777 inclusive")
	}
	return uint32(n), nil
}, func(n uint32) string { return strconv.FormatUint(uint64(n), 8) })

// cInteger reads an integer as C's strtoll does where Redis uses it: leading space and
// a sign are welcome, and nothing at all is zero.
func cInteger(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n\v\f\r"), 10, 64)
	return n, err == nil
}
