package machine

import (
	lua "github.com/yuin/gopher-lua"
)

const readonlyText = "Attempt to modify a readonly table"

// freeze returns an empty table in the stead of another one. It reads as the other one, and every assignment fails. The
// interpreter assigns to a field that exists without asking anyone; in the empty table no field exists.
func (m *Machine) freeze(contents *lua.LTable) *lua.LTable {
	shown, meta := m.L.CreateTable(0, 0), m.L.CreateTable(0, 2)
	meta.RawSetString("__index", contents)
	meta.RawSetString("__newindex", m.Func(func(L *lua.LState) int {
		position := m.Where(L, 1)
		if position == "" {
			position = m.Where(L, 2) // the helper that assigns is not the one that is at fault
		}
		m.RaisePlain(L, position+readonlyText)
		return 0
	}))
	shown.Metatable = meta
	m.frozen[shown] = contents
	return shown
}

// Freeze freezes the globals and their tables. Nothing can be defined after it.
func (m *Machine) Freeze() {
	m.contents.ForEach(func(name, value lua.LValue) {
		if t, ok := value.(*lua.LTable); ok && t != m.keys && t != m.argv {
			m.contents.RawSet(name, m.freeze(t))
		}
	})
	m.openOperators()
	meta := m.L.CreateTable(0, 1)
	meta.RawSetString("__index", m.Func(func(L *lua.LState) int {
		key, ok := L.Get(2).(lua.LString)
		if !ok {
			key = lua.LString(Text(L.Get(2)))
		}
		m.Raise(L, "Script attempted to access nonexistent global variable '%s'", string(key))
		return 0
	}))
	m.global = m.freeze(m.contents)
	m.Define("_G", m.global)
	m.contents.Metatable = meta
}

// Thaw returns what is in a table that may be frozen.
func (m *Machine) Thaw(t *lua.LTable) *lua.LTable {
	if t.Metatable != lua.LNil {
		if contents := m.frozen[t]; contents != nil {
			return contents
		}
	}
	return t
}

// RefuseFrozen fails if a library function would change a frozen table.
func (m *Machine) RefuseFrozen(L *lua.LState, t *lua.LTable) {
	if t.Metatable != lua.LNil && m.frozen[t] != nil {
		m.RaisePlain(L, readonlyText)
	}
}

// StringMetatable returns the metatable of strings as scripts see it.
func (m *Machine) StringMetatable() lua.LValue { return m.texts }
