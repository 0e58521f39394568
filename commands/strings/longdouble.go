package strings

import (
	"bytes"
	"math/big"
	"strconv"

	"cellserver/commands"
)

// INCRBYFLOAT computes in x86's 80-bit long double, as Redis does where almost everyone
// runs it: a mantissa of 64 bits, an exponent of 15.
const (
	longDoublePrec   = 64
	longDoubleMaxExp = 16384  // largest exponent, for mantissas in [0.5, 1)
	longDoubleMinExp = -16445 // that of half the smallest subnormal, which rounds to zero unless exceeded
	longDoubleChars  = 5 * 1024
)

// parseLongDouble parses a number as C's strtold does, all of b: decimal or hexadecimal,
// or an infinity; no spaces, no NaN, and nothing too large or too small to represent.
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

// scanLongDouble parses digits with a point and an exponent, and rounds the exact value once.
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

// parseExponent parses what follows the 'e'. One beyond any number's is as good as a
// very large one.
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

// scaled returns mantissa·10^exp, rounded once. Far outside the range of a long double
// it returns some other number that is out of range.
func scaled(mantissa *big.Int, exp int) *big.Float {
	// A mantissa has fewer digits than longDoubleChars, so that 10^far is too much for
	// any, and 10^-far too little.
	const far = longDoubleChars + 5000
	exp = min(max(exp, -far), far)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		return newLongDouble().SetInt(power.Mul(power, mantissa))
	}
	return newLongDouble().Quo(new(big.Float).SetInt(mantissa), new(big.Float).SetInt(power))
}

// roundLongDouble refuses what overflows, or is so small that only zero is left.
func roundLongDouble(f *big.Float) (*big.Float, bool) {
	if f.Sign() == 0 {
		return f, true
	}
	exp := f.MantExp(nil)
	half := exp == longDoubleMinExp && f.MinPrec() == 1 // a tie, which goes to zero
	return f, exp <= longDoubleMaxExp && exp >= longDoubleMinExp && !half
}

// formatLongDouble spells a number as Redis does: 17 decimals, without trailing zeros.
func formatLongDouble(f *big.Float) []byte {
	const invisible = -64 // below 2^-64 no decimal is left, and finding that out exactly takes long
	if f.MantExp(nil) < invisible {
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
