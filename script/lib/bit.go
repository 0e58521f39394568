package lib

import (
	"fmt"
	"math"
	"math/bits"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func openBit(m *machine.Machine) {
	arg := func(L *lua.LState, i int) uint32 { return toBit(m.Number(L, i)) }
	push := func(L *lua.LState, n uint32) int { return machine.PushNumber(L, float64(int32(n))) }
	fold := func(f func(a, b uint32) uint32) lua.LGFunction {
		return func(L *lua.LState) int {
			n := arg(L, 1)
			for i := 2; i <= L.GetTop(); i++ {
				n = f(n, arg(L, i))
			}
			return push(L, n)
		}
	}
	shift := func(f func(n uint32, by int) uint32) lua.LGFunction {
		return func(L *lua.LState) int { return push(L, f(arg(L, 1), int(arg(L, 2)&31))) }
	}
	m.Library("bit", map[string]lua.LGFunction{
		"tobit":   func(L *lua.LState) int { return push(L, arg(L, 1)) },
		"bnot":    func(L *lua.LState) int { return push(L, ^arg(L, 1)) },
		"bswap":   func(L *lua.LState) int { return push(L, bits.ReverseBytes32(arg(L, 1))) },
		"band":    fold(func(a, b uint32) uint32 { return a & b }),
		"bor":     fold(func(a, b uint32) uint32 { return a | b }),
		"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
		"lshift":  shift(func(n uint32, by int) uint32 { return n << by }),
		"rshift":  shift(func(n uint32, by int) uint32 { return n >> by }),
		"arshift": shift(func(n uint32, by int) uint32 { return uint32(int32(n) >> by) }),
		"rol":     shift(bits.RotateLeft32),
		"ror":     shift(func(n uint32, by int) uint32 { return bits.RotateLeft32(n, -by) }),
		"tohex": func(L *lua.LState) int {
			n, digits := arg(L, 1), int32(8)
			if L.GetTop() >= 2 {
				digits = int32(arg(L, 2))
			}
			return m.PushText(L, toHex(n, digits))
		},
	})
}

// magic moves the integer part of a float into its low bits.
const magic = 1<<52 + 1<<51

// toBit returns the low 32 bits of a number.
func toBit(f float64) uint32 { return uint32(math.Float64bits(f + magic)) }

// toHex writes the last digits of a number. A negative count asks for upper case.
func toHex(n uint32, digits int32) string {
	text := fmt.Sprintf("%08x", n)
	if digits < 0 {
		digits = -digits
		text = fmt.Sprintf("%08X", n)
	}
	if digits < 0 || digits > 8 {
		digits = 8
	}
	return text[8-digits:]
}
