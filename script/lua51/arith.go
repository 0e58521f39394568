package lua51

import "math"

// Mod is a % b of Lua: a - floor(a/b)*b, with all its roundings.
func Mod(a, b float64) float64 {
	product := math.Floor(a/b) * b
	return a - product
}

// maxExactPower is the largest exponent that Pow computes by squaring.
const maxExactPower = 1024

// Pow is a ^ b. Integer exponents are computed with twice the digits, so the result is rounded once, as glibc does.
func Pow(a, b float64) float64 {
	n := int(b)
	if float64(n) != b || n < -maxExactPower || n > maxExactPower || a == 0 || math.IsInf(a, 0) || math.IsNaN(a) {
		return invalid(math.Pow(a, b), a, b)
	}
	fraction, exponent := math.Frexp(a)
	p := power(pair{fraction, 0}, exponent, max(n, -n))
	if n < 0 {
		p = p.inverse()
	}
	return p.float()
}

// A wide is a number of two floats with an exponent of its own, so that no step of a power overflows.
type wide struct {
	pair
	exponent int
}

// A pair is the exact sum of two floats; the second one is smaller than a rounding of the first one.
type pair struct{ high, low float64 }

func (p pair) times(q pair) pair {
	high := p.high * q.high
	low := math.FMA(p.high, q.high, -high) + (p.high*q.low + p.low*q.high)
	return sum(high, low)
}

func sum(a, b float64) pair {
	high := a + b
	return pair{high, b - (high - a)}
}

// normal moves the size of a number into its exponent.
func (w wide) normal() wide {
	fraction, e := math.Frexp(w.high)
	return wide{pair{fraction, math.Ldexp(w.low, -e)}, w.exponent + e}
}

func power(base pair, exponent, n int) wide {
	result, square := wide{pair{1, 0}, 0}, wide{base, exponent}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = wide{result.times(square.pair), result.exponent + square.exponent}.normal()
		}
		square = wide{square.times(square.pair), 2 * square.exponent}.normal()
	}
	return result
}

func (w wide) inverse() wide {
	q := 1 / w.high
	rest := math.FMA(-q, w.high, 1) - q*w.low
	return wide{sum(q, rest*q), -w.exponent}.normal()
}

// float rounds once, unless the result is a subnormal number.
func (w wide) float() float64 { return math.Ldexp(w.high+w.low, w.exponent) }

// invalid gives a result that is not a number the sign that it has on x86, unless an operand is not a number either.
func invalid(result, a, b float64) float64 {
	if math.IsNaN(result) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(result, -1)
	}
	return result
}
