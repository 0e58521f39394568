package stdlib

import (
	"math"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func (m *library) openMath() {
	functions := map[string]lua.LGFunction{
		"max": m.extreme(func(a, b float64) bool { return a > b }), "min": m.extreme(func(a, b float64) bool { return a < b }),
		"frexp": m.frexp, "ldexp": m.ldexp, "modf": m.modf, "random": m.mathRandom, "randomseed": m.randomSeed,
	}
	for name, f := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": math.Acos, "asin": math.Asin, "atan": math.Atan, "ceil": math.Ceil, "cos": signed(math.Cos),
		"cosh": math.Cosh, "deg": func(x float64) float64 { return x / (math.Pi / 180) }, "exp": lua51.Exp, "floor": math.Floor,
		"log": signed(lua51.Log), "log10": lua51.Log10, "rad": func(x float64) float64 { return x * (math.Pi / 180) }, "sin": signed(math.Sin),
		"sinh": math.Sinh, "sqrt": math.Sqrt, "tan": signed(math.Tan), "tanh": math.Tanh,
	} {
		functions[name] = func(L *lua.LState) int { return machine.PushNumber(L, f(m.Number(L, 1))) }
	}
	for name, f := range map[string]func(a, b float64) float64{"atan2": math.Atan2, "fmod": math.Mod, "mod": math.Mod, "pow": lua51.Pow} {
		functions[name] = func(L *lua.LState) int {
			b := m.Number(L, 2) // C evaluates arguments from the right
			return machine.PushNumber(L, invalid(f, m.Number(L, 1), b))
		}
	}
	t := m.Library("math", functions)
	t.RawSetString("pi", lua.LNumber(math.Pi))
	t.RawSetString("huge", lua.LNumber(math.Inf(1)))
}

// invalid computes a result. If the result is NaN, it gets the sign that it has on x86.
func invalid(f func(a, b float64) float64, a, b float64) float64 {
	result := f(a, b)
	if math.IsNaN(result) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(result, -1)
	}
	return result
}

// signed is invalid for a function of one number. Not every function of C has this sign.
func signed(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		return invalid(func(x, _ float64) float64 { return f(x) }, x, 0)
	}
}

func (m *library) extreme(better func(a, b float64) bool) lua.LGFunction {
	return func(L *lua.LState) int {
		best := m.Number(L, 1)
		for i := 2; i <= L.GetTop(); i++ {
			if x := m.Number(L, i); better(x, best) {
				best = x
			}
		}
		return machine.PushNumber(L, best)
	}
}

func (m *library) frexp(L *lua.LState) int {
	fraction, exponent := math.Frexp(m.Number(L, 1))
	machine.PushNumber(L, fraction)
	return 1 + machine.PushNumber(L, float64(exponent))
}

func (m *library) ldexp(L *lua.LState) int {
	exponent := m.Int32(L, 2)
	return machine.PushNumber(L, math.Ldexp(m.Number(L, 1), exponent))
}

func (m *library) modf(L *lua.LState) int {
	x := m.Number(L, 1)
	whole := math.Trunc(x)
	fraction := math.Copysign(x-whole, x)
	if math.IsInf(x, 0) {
		fraction = math.Copysign(0, x)
	}
	machine.PushNumber(L, whole)
	return 1 + machine.PushNumber(L, fraction)
}
