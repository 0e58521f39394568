package lua51

import "math"

// Mod is a % b of Lua: a - floor(a/b)*b, with all its roundings.
func Mod(a, b float64) float64 {
	product := math.Floor(a/b) * b
	return a - product
}

// invalid corrects the sign of a NaN. If no operand is NaN, x86 gives the result a minus sign.
func invalid(result, a, b float64) float64 {
	if math.IsNaN(result) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(result, -1)
	}
	return result
}
