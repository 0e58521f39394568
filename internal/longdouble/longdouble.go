package longdouble

import (
	"bytes"
	"math/big"
	"strconv"
)

// A long double has 64 bits of mantissa and 15 bits of exponent.
const (
	prec     = 64
	maxExp   = 16384  // largest exponent, for a mantissa in [0.5, 1)
	minExp   = -16445 // exponent of half the smallest subnormal; only larger numbers do not round to zero
	maxChars = 5 * 1024
)

// Parse parses all of b in the syntax of C's strtold: decimal, hexadecimal or infinity.
// It refuses spaces, NaN, overflow and underflow.
func Parse(b []byte) (*big.Float, bool) {
	if len(b) == 0 || len(b) >= maxChars {
		return nil, false
	}
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	if bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity")) {
		return New().SetInf(neg), true
	}
	base := 10
	if len(b) > 2 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X') {
		base, b = 16, b[2:]
	}
	f, ok := scan(b, base)
	if !ok {
		return nil, false
	}
	if neg {
		f.Neg(f)
	}
	return f, true
}

// scan parses digits with a point and an exponent. It rounds once, from the exact value.
func scan(b []byte, base int) (*big.Float, bool) {
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
		f := New().SetInt(mantissa)
		return round(f.SetMantExp(f, exp-4*len(fraction)))
	}
	return round(scaled(mantissa, exp-len(fraction)))
}

// New returns 0.
func New() *big.Float { return new(big.Float).SetPrec(prec) }

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
	// A mantissa has fewer digits than maxChars. So with an exponent of far or -far every
	// mantissa is out of range.
	const far = maxChars + 5000
	exp = min(max(exp, -far), far)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		return New().SetInt(power.Mul(power, mantissa))
	}
	return New().Quo(new(big.Float).SetInt(mantissa), new(big.Float).SetInt(power))
}

// round returns false if a number overflows, or if it rounds to zero and is not zero.
func round(f *big.Float) (*big.Float, bool) {
	if f.Sign() == 0 {
		return f, true
	}
	exp := f.MantExp(nil)
	half := exp == minExp && f.MinPrec() == 1 // a tie, which rounds to zero
	return f, exp <= maxExp && exp >= minExp && !half
}

// Format formats a number as Redis does: with up to 17 decimals, without trailing zeros.
func Format(f *big.Float) []byte {
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

// Add returns a+b, and false if the sum is infinite or NaN.
func Add(a, b *big.Float) (*big.Float, bool) {
	if a.IsInf() || b.IsInf() {
		return nil, false
	}
	sum := New().Add(a, b)
	return sum, sum.MantExp(nil) <= maxExp
}

// Largest returns the largest finite long double, or the smallest one if negative is set.
func Largest(negative bool) *big.Float {
	f := New().SetMantExp(big.NewFloat(1), maxExp-prec)
	ones := new(big.Int).Lsh(big.NewInt(1), prec)
	f.Mul(f, New().SetInt(ones.Sub(ones, big.NewInt(1))))
	if negative {
		f.Neg(f)
	}
	return f
}
