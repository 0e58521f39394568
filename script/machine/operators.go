package machine

import (
	lua "github.com/yuin/gopher-lua"
)

// openOperators gives the basic types the operators of Lua 5.1. Scripts do not see these metatables.
func (m *Machine) openOperators() {
	text := m.basicType(lua.LString(""), "call")
	text.RawSetString("__index", m.Thaw(m.contents.RawGetString("string").(*lua.LTable)))
	for event, compute := range map[string]func(a, b float64) float64{
		"__add": func(a, b float64) float64 { return a + b },
		"__sub": func(a, b float64) float64 { return a - b },
		"__mul": func(a, b float64) float64 { return a * b },
		"__div": func(a, b float64) float64 { return a / b },
	} {
		text.RawSetString(event, m.Func(m.arithmetic(event, compute)))
	}
	text.RawSetString("__unm", m.Func(m.negate))
	m.basicType(lua.LNumber(0), "call", "len")
	for _, v := range []lua.LValue{lua.LNil, lua.LTrue, m.L} {
		m.basicType(v, "call", "len", "unm")
	}
	m.basicType(m.Func(m.negate), "len", "unm")

	shown := m.L.CreateTable(0, 1)
	shown.RawSetString("__index", m.contents.RawGetString("string"))
	m.texts = m.freeze(shown)
}

var doing = map[string]string{"call": "call", "len": "get length of", "unm": arithmetic}

// basicType makes the metatable of a type, which fails for these operators.
func (m *Machine) basicType(v lua.LValue, events ...string) *lua.LTable {
	meta := m.L.CreateTable(0, 8)
	for _, event := range events {
		meta.RawSetString("__"+event, m.Func(func(L *lua.LState) int {
			_, at, _ := m.frame(L, 1)
			m.operandError(L, doing[event], at.Name, L.Get(1))
			return 0
		}))
	}
	m.L.SetMetatable(v, meta)
	return meta
}

func (m *Machine) negate(L *lua.LState) int {
	f, ok := m.ToNumber(L.Get(1))
	if !ok {
		_, at, _ := m.frame(L, 1)
		m.operandError(L, arithmetic, at.Name, L.Get(1))
	}
	return PushNumber(L, -f)
}
