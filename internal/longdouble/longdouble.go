package longdouble

import (
	"bytes"
	"errors"
	"math/big"
	"strconv"
	"strings"
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
	text, neg := string(b), b[0] == '-'
	if neg || b[0] == '+' {
		text = text[1:]
	}
	if strings.EqualFold(text, "inf") || strings.EqualFold(text, "infinity") {
		return New().SetInf(neg), true
	}
	digits, marks, far := "0123456789.", "eE", maxChars+5000
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		digits, marks, far = digits+"abcdefABCDEFxX", "pP", 4*maxChars+20_000
	}
	exponent := ""
	if i := strings.IndexAny(text, marks); i >= 0 {
		exp, err := strconv.Atoi(text[i+1:])
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, false
		}
		// A mantissa has fewer digits than maxChars. So with an exponent of far or -far, every mantissa is
		// out of range.
		text, exponent = text[:i], marks[:1]+strconv.Itoa(min(max(exp, -far), far))
	}
	exact, ok := new(big.Rat).SetString(text + exponent)
	if !ok || strings.Trim(text, digits) != "" {
		return nil, false
	}
	f := New().SetRat(exact) // rounds once
	if neg {
		f.Neg(f)
	}
	return round(f)
}

// New returns 0.
func New() *big.Float { return new(big.Float).SetPrec(prec) }

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
