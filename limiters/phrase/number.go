package phrase

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"cellserver/internal/quote"
)

// numberWords are the numbers from 1 that have a word. once and twice are 1 and 2.
var numberWords = strings.Fields("one two three four five six seven eight nine ten eleven twelve")

// numberWord returns the number that a word says, 0 for another word.
func numberWord(name string) int64 {
	name = strings.ToLower(name)
	switch name {
	case "once":
		return 1
	case "twice":
		return 2
	}
	return int64(1 + slices.Index(numberWords, name))
}

// factors are the letters that may end a number.
var factors = map[string]uint64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}

const (
	numberForms = "write 100, 1,000, 1_000, 1.5k or 50M"
	useBlock    = ": BLOCK refuses every action"
)

// numberOf parses a positive whole number. `remedy` ends the error of another one.
func numberOf(text, remedy string) (int64, error) {
	if n := numberWord(text); n > 0 {
		return n, nil
	}
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	digits, letter := text[:end], text[end:]
	factor := factors[letter]
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	whole, grouped := ungroup(whole)
	switch {
	case strings.HasPrefix(text, "-"):
		return 0, failf("%s must be positive%s", quote.Word(text), remedy)
	case letter == "m" && isDigits(digits):
		return 0, failf("%s is no number: for millions write M, because m is minute", quote.Word(text))
	case factor == 0 || !grouped || !isDigits(whole) || hasFraction && !isDigits(fraction):
		return 0, failf("%s is not a number: %s%s", quote.Word(text), numberForms, insteadOf(text))
	case len(whole) > 1 && whole[0] == '0':
		return 0, failf("%s begins with a 0: write the number without it", quote.Word(text))
	}
	n, ok := times(0, whole, factor)
	for i := 0; ok && i < len(fraction); i++ {
		if factor%10 != 0 {
			return 0, failf("%s is not a whole number: for a half per second write 1 per 2 seconds",
				quote.Word(text))
		}
		factor /= 10
		n, ok = times(n, fraction[i:i+1], factor)
	}
	switch {
	case !ok || n > math.MaxInt64:
		return 0, failf("%s is too large: at most 9223372036854775807", quote.Word(text))
	case n == 0:
		return 0, failf("%s must be positive%s", quote.Word(text), remedy)
	}
	return int64(n), nil
}

// times adds a number in digits, times a factor, to a sum. ok reports whether the result is right.
func times(sum uint64, digits string, factor uint64) (n uint64, ok bool) {
	for i := range len(digits) {
		if n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = n*10 + uint64(digits[i]-'0')
	}
	over, n := bits.Mul64(n, factor)
	n, carry := bits.Add64(n, sum, 0)
	return n, over == 0 && carry == 0
}

// ungroup removes the marks between digits: an underscore anywhere, or a comma before each three digits.
func ungroup(text string) (digits string, ok bool) {
	groups := strings.Split(text, ",")
	for i, group := range groups {
		first := i == 0 && (len(groups) == 1 || len(group) <= 3 && isDigits(group))
		if !first && (i == 0 || len(group) != 3 || !isDigits(group)) {
			return "", false
		}
	}
	text = strings.ReplaceAll(text, ",", "")
	if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return "", false
	}
	return strings.ReplaceAll(text, "_", ""), true
}

// isDigits reports whether a text is one digit or more.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// insteadOf is the end of an error about a number with letters: what to write for 10r of nginx's 10r/s, and
// for 100rpm.
func insteadOf(text string) string {
	digits := strings.TrimRightFunc(text, unicode.IsLetter)
	letters := strings.ToLower(text[len(digits):])
	switch {
	case !isDigits(digits):
	case letters == "r":
		return "; write " + digits + " requests per second, or per another unit"
	case strings.HasPrefix(instead[letters], "/"):
		return "; write " + digits + instead[letters]
	}
	return ""
}
