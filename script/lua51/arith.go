package lua51

import "math"

// Mod is a % b of Lua: a - floor(a/b)*b, with all its roundings.
func Mod(a, b float64) float64 {
	product := math.Floor(a/b) * b
	return a - product
}

// invalid gives a result that is not a number the sign that it has on x86, unless an operand is not a number either.
func invalid(result, a, b float64) float64 {
	if math.IsNaN(result) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(result, -1)
	}
	return result
}
