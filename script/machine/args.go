package machine

import (
	"cellserver/script/lua51"

	lua "github.com/yuin/gopher-lua"
)

// Any returns an argument that must be there, even if it is nil.
func (m *Machine) Any(L *lua.LState, arg int) lua.LValue {
	if arg > L.GetTop() {
		m.ArgError(L, arg, "value expected")
	}
	return L.Get(arg)
}

// Table returns an argument that must be a table.
func (m *Machine) Table(L *lua.LState, arg int) *lua.LTable {
	t, ok := L.Get(arg).(*lua.LTable)
	if !ok {
		m.TypeError(L, arg, "table")
	}
	return t
}

// Readable returns a table to read: the contents of a frozen one.
func (m *Machine) Readable(L *lua.LState, arg int) *lua.LTable { return m.Thaw(m.Table(L, arg)) }

// Writable returns a table to change. A frozen one is an error.
func (m *Machine) Writable(L *lua.LState, arg int) *lua.LTable {
	t := m.Table(L, arg)
	m.RefuseFrozen(L, t)
	return t
}

// Function returns an argument that must be a function.
func (m *Machine) Function(L *lua.LState, arg int) *lua.LFunction {
	f, ok := L.Get(arg).(*lua.LFunction)
	if !ok {
		m.TypeError(L, arg, "function")
	}
	return f
}

// Text returns an argument that must be a string or a number.
func (m *Machine) Text(L *lua.LState, arg int) string {
	switch v := L.Get(arg).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return lua51.Number(float64(v))
	}
	m.TypeError(L, arg, "string")
	return ""
}

// OptText returns an argument that may be left out.
func (m *Machine) OptText(L *lua.LState, arg int, otherwise string) string {
	if L.Get(arg) == lua.LNil {
		return otherwise
	}
	return m.Text(L, arg)
}

// ToNumber counts the work of the function of this name.
func (m *Machine) ToNumber(v lua.LValue) (float64, bool) {
	if s, ok := v.(lua.LString); ok {
		m.Read(len(s))
	}
	return ToNumber(v)
}

// Number returns an argument that must be a number, or a string that is one.
func (m *Machine) Number(L *lua.LState, arg int) float64 {
	f, ok := m.ToNumber(L.Get(arg))
	if !ok {
		m.TypeError(L, arg, "number")
	}
	return f
}

// Int returns an argument that must be a number, without its fraction.
func (m *Machine) Int(L *lua.LState, arg int) int { return int(lua51.Int(m.Number(L, arg))) }

// Int32 returns an argument as an int of C.
func (m *Machine) Int32(L *lua.LState, arg int) int { return int(int32(lua51.Int(m.Number(L, arg)))) }

// OptInt returns an integer that may be left out.
func (m *Machine) OptInt(L *lua.LState, arg, otherwise int) int {
	if L.Get(arg) == lua.LNil {
		return otherwise
	}
	return m.Int(L, arg)
}

// OptInt32 returns an int of C that may be left out.
func (m *Machine) OptInt32(L *lua.LState, arg, otherwise int) int {
	return int(int32(m.OptInt(L, arg, otherwise)))
}

// PushText returns a string that a library function has made.
func (m *Machine) PushText(L *lua.LState, s string) int {
	m.MakeText(len(s))
	L.Push(lua.LString(s))
	return 1
}

// PushBytes returns a string that a library function has made.
func (m *Machine) PushBytes(L *lua.LState, b []byte) int {
	m.MakeText(len(b))
	L.Push(lua.LString(b))
	return 1
}

// PushNumber returns a number.
func PushNumber(L *lua.LState, f float64) int {
	L.Push(lua.LNumber(f))
	return 1
}
