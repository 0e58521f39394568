package lua51

import "math"

// maxSquared is the largest exponent that Pow computes by squaring.
const maxSquared = 1024

// Pow is a ^ b. It computes with twice the digits of a float and rounds once. So nearly every result is that
// of glibc.
func Pow(a, b float64) float64 {
	n := int(b)
	switch about := b * math.Log(math.Abs(a)); {
	case math.IsNaN(a) && b != 0:
		if math.Abs(math.Mod(b, 2)) == 1 {
			return math.Abs(a)
		}
		return a // with its sign
	case math.IsNaN(b) && a != 1:
		return b
	case a == 0 || math.IsInf(a, 0) || math.IsNaN(a):
	case float64(n) == b && -maxSquared <= n && n <= maxSquared:
		fraction, exponent := math.Frexp(a)
		p := power(pair{fraction, 0}, exponent, max(n, -n))
		if n < 0 {
			p = p.inverse()
		}
		return p.float()
	case (a > 0 || math.Trunc(b) == b) && math.Abs(about) < largestLog:
		p := exp(log(math.Abs(a)).times(pair{b, 0})).float()
		if a < 0 && math.Abs(math.Mod(b, 2)) == 1 {
			p = -p
		}
		return p
	}
	return invalid(math.Pow(a, b), a, b)
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

func (p pair) plus(q pair) pair {
	high := p.high + q.high
	grown := high - p.high
	low := p.high - (high - grown) + (q.high - grown)
	return sum(high, low+(p.low+q.low))
}

func (p pair) over(n float64) pair {
	q := p.high / n
	return sum(q, (math.FMA(-q, n, p.high)+p.low)/n)
}

// sum returns the sum of two floats. The absolute value of a must not be less than that of b.
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

// Exp is e ^ x, rounded once.
func Exp(x float64) float64 {
	if math.Abs(x) < largestLog {
		return exp(pair{x, 0}).float()
	}
	return math.Exp(x)
}

// Log is the natural logarithm of x, rounded once.
func Log(x float64) float64 {
	if x > 0 && !math.IsInf(x, 1) {
		return log(x).high
	}
	return math.Log(x)
}

// The parts of the logarithm to the base 10 that glibc adds.
const (
	log10of2High = 3.01029995663611771306e-01
	log10of2Low  = 3.69423907715893078616e-13
	log10e       = 4.34294481903251816668e-01
)

// Log10 is the logarithm of x to the base 10. It takes the steps of glibc, so nearly every result is that of
// glibc. Each conversion to float64 rounds a product, because otherwise some processors add it without
// rounding.
func Log10(x float64) float64 {
	if math.IsNaN(x) {
		return x // with its sign
	}
	if x <= 0 || math.IsInf(x, 1) {
		return math.Log10(x)
	}
	fraction, exponent := math.Frexp(x) // x is 2 * fraction * 2 ^ (exponent - 1)
	y := float64(exponent - 1)
	rest := 2 * fraction
	if y < 0 {
		y++
		rest = fraction
	}
	return float64(y*log10of2Low) + float64(log10e*Log(rest)) + float64(y*log10of2High)
}

// largestLog bounds the size of the argument of exp. With a larger argument, the result is infinite or 0.
const largestLog = 760

// ln2 is the natural logarithm of 2.
var ln2 = pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// log returns the natural logarithm of a positive number.
func log(a float64) pair {
	if d := a - 1; math.Abs(d) < nearOne {
		return logBeside(d)
	}
	fraction, exponent := math.Frexp(a)
	about := math.Log(a)
	if exponent < -1000 {
		about = math.Log(fraction) + float64(exponent)*math.Ln2 // math.Log is wrong for the smallest numbers
	}
	w := exp(pair{-about, 0})
	one := w.times(pair{fraction, 0})
	scale := w.exponent + exponent
	rest := math.Ldexp(one.high, scale) - 1 + math.Ldexp(one.low, scale) // one is nearly 1
	return sum(about, rest-rest*rest/2)
}

// nearOne is a distance from 1. If a number is nearer to 1, few terms of a series give its logarithm.
const nearOne = 1e-5

// logBeside returns the logarithm of 1 + d.
func logBeside(d float64) pair {
	square := pair{d, 0}.times(pair{-d / 2, 0})
	return pair{d, 0}.plus(square).plus(pair{d * d * d * (1.0/3 - d*(1.0/4-d/5)), 0})
}

const (
	halvings = 8  // of the argument of exp before its series; as many squarings follow the series
	terms    = 10 // of the series
)

// exp returns e to the power of x.
func exp(x pair) wide {
	k := math.Round(x.high / ln2.high)
	rest := x.plus(ln2.times(pair{-k, 0}))
	rest = pair{math.Ldexp(rest.high, -halvings), math.Ldexp(rest.low, -halvings)}
	result := pair{1, 0}
	for n := terms; n > 0; n-- {
		result = pair{1, 0}.plus(result.times(rest).over(float64(n)))
	}
	for range halvings {
		result = result.times(result)
	}
	return wide{result, int(k)}.normal()
}
