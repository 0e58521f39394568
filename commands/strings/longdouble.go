package strings

import (
	"bytes"
	"math/big"
	"strconv"

	"cellserver/commands"
)

// INCRBYFLOAT computes with the 80-bit long double of x86, as Redis does on x86. It has 64 bits of
// mantissa and 15 bits of exponent.
const (
	longDoublePrec   = 64
	longDoubleMaxExp = 16384  // largest exponent, for a mantissa in [0.5, 1)
	longDoubleMinExp = -16445 // exponent of half the smallest subnormal; only larger numbers do not round to zero
	longDoubleChars  = 5 * 1024
)

// parseLongDouble parses all of b in the syntax of C's strtold: decimal, hexadecimal or infinity.
// It refuses spaces, NaN, overflow and underflow.
func parseLongDouble(b []byte) (*big.Float, bool) {
	if len(b) == 0 || len(b) >= longDoubleChars {
		return nil, false
	}
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	if commands.Is(b, "inf") || commands.Is(b, "infinity") {
		return newLongDouble().SetInf(neg), true
	}
	base := 10
	if len(b) > 2 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X') {
		base, b = 16, b[2:]
	}
	f, ok := scanLongDouble(b, base)
	if !ok {
		return nil, false
	}
	if neg {
		f.Neg(f)
	}
	return f, true
}

// scanLongDouble parses digits with a point and an exponent. It rounds once, from the exact value.
func scanLongDouble(b []byte, base int) (*big.Float, bool) {
	marks := "eE"
	if base == 16 {
		marks = "pP"
	}
	exp := 0
	if i := bytes.IndexAny(b, marks); i >= 0 {
		var ok bool
		if exp, ok = parseExponent(b[i+1:]); !ok {
			return nil, false
		}
		b = b[:i]
	}
	whole, fraction, _ := bytes.Cut(b, []byte{'.'})
	digits := append(bytes.Clone(whole), fraction...)
	if len(digits) == 0 || bytes.ContainsAny(digits, "+-_") {
		return nil, false
	}
	mantissa, ok := new(big.Int).SetString(string(digits), base)
	if !ok {
		return nil, false
	}
	if base == 16 {
		f := newLongDouble().SetInt(mantissa)
		return roundLongDouble(f.SetMantExp(f, exp-4*len(fraction)))
	}
	return roundLongDouble(scaled(mantissa, exp-len(fraction)))
}

func newLongDouble() *big.Float { return new(big.Float).SetPrec(longDoublePrec) }

// parseExponent parses the exponent after the e. It replaces a huge exponent by a smaller one that
// is out of range, too.
func parseExponent(b []byte) (int, bool) {
	digits := b
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		digits = b[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	const beyond = 1_000_000
	n, err := strconv.Atoi(string(digits))
	if err != nil || n > beyond {
		n = beyond
	}
	if b[0] == '-' {
		n = -n
	}
	return n, true
}

// scaled returns mantissa·10^exp, rounded once. If the result is far out of range, scaled returns
// another number that is out of range.
func scaled(mantissa *big.Int, exp int) *big.Float {
	// A mantissa has fewer digits than longDoubleChars. So with an exponent of far or -far every
	// mantissa is out of range.
	const far = longDoubleChars + 5000
	exp = min(max(exp, -far), far)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		return newLongDouble().SetInt(power.Mul(power, mantissa))
	}
	return newLongDouble().Quo(new(big.Float).SetInt(mantissa), new(big.Float).SetInt(power))
}

// roundLongDouble returns false if a number overflows, or if it rounds to zero and is not zero.
func roundLongDouble(f *big.Float) (*big.Float, bool) {
	if f.Sign() == 0 {
		return f, true
	}
	exp := f.MantExp(nil)
	half := exp == longDoubleMinExp && f.MinPrec() == 1 // a tie, which rounds to zero
	return f, exp <= longDoubleMaxExp && exp >= longDoubleMinExp && !half
}

// formatLongDouble formats a number as Redis does: with up to 17 decimals, without trailing zeros.
func formatLongDouble(f *big.Float) []byte {
	const zeroExp = -64 // a number below 2^-64 has no digit other than 0; formatting it would be slow
	if f.MantExp(nil) < zeroExp {
		return []byte{'0'}
	}
	s := f.Append(nil, 'f', 17)
	s = bytes.TrimRight(s, "0")
	s = bytes.TrimSuffix(s, []byte{'.'})
	if string(s) == "-0" {
		return []byte{'0'}
	}
	return s
}
