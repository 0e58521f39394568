package httpapi

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Bounds of a number of JSON. Errors of commands repeat a number.
const (
	maxNumber   = 32      // digits before the point, and after it
	maxExponent = MaxBody // a body has no more digits that an exponent could shift
)

// plain returns a number of JSON as a command reads it: 5 for 5.0, and 1000 for 1e3. JSON has one type of
// number, and its writers choose the form. The result is exact. ok is false for a number of too many digits.
func plain(n json.Number) (text string, ok bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, decimals, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+decimals, "0")
	point := len(digits) - len(decimals) // the number of digits before the point
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return "0", true
	}
	if exponent != "" {
		shift, err := strconv.Atoi(exponent)
		if err != nil || shift < -maxExponent || shift > maxExponent {
			return "", false
		}
		point += shift
	}
	if point > maxNumber || len(digits)-point > maxNumber {
		return "", false
	}
	text = digits
	switch {
	case point <= 0:
		text = "0." + strings.Repeat("0", -point) + digits
	case point < len(digits):
		text = digits[:point] + "." + digits[point:]
	default:
		text += strings.Repeat("0", point-len(digits))
	}
	if negative {
		text = "-" + text
	}
	return text, true
}
