package machine

import (
	lua "github.com/yuin/gopher-lua"
)

const readonlyText = "Attempt to modify a readonly table"

// freeze returns an empty table in place of another one. It reads as the other one, and every assignment fails. It must
// be empty, because the interpreter calls no metamethod for an assignment to an existing field.
func (m *Machine) freeze(contents *lua.LTable) *lua.LTable {
	shown, meta := m.L.CreateTable(0, 0), m.L.CreateTable(0, 2)
	meta.RawSetString("__index", contents)
	meta.RawSetString("__newindex", m.Func(func(L *lua.LState) int {
		position := m.Where(L, 1)
		if position == "" {
			position = m.Where(L, 2) // the caller of the helper is at fault
		}
		m.RaisePlain(L, position+readonlyText)
		return 0
	}))
	shown.Metatable = meta
	m.frozen[shown], m.shown[contents] = contents, shown
	return shown
}

// Freeze freezes the globals and their tables. Nothing can be defined after it.
func (m *Machine) Freeze() {
	m.contents.ForEach(func(name, value lua.LValue) {
		if t, ok := value.(*lua.LTable); ok && t != m.keys.LTable && t != m.argv.LTable {
			m.contents.RawSet(name, m.freeze(t))
		}
	})
	m.openOperators()
	meta := m.L.CreateTable(0, 1)
	meta.RawSetString("__index", m.Func(m.noGlobal))
	m.global = m.freeze(m.contents)
	m.Define("_G", m.global)
	m.contents.Metatable = meta
	m.globalMeta = m.freeze(meta)
}

// noGlobal raises the error of a global variable that does not exist.
func (m *Machine) noGlobal(L *lua.LState) int {
	switch {
	case L.GetTop() != 2:
		m.Raise(L, "Wrong number of arguments to luaProtectedTableError")
	case !IsText(L.Get(2)):
		m.Raise(L, "Second argument to luaProtectedTableError must be a string or number")
	}
	m.Raise(L, "Script attempted to access nonexistent global variable '%s'", Text(L.Get(2)))
	return 0
}

// Metatable returns the metatable of a table as scripts see it. Of the frozen tables only the globals have one.
func (m *Machine) Metatable(t *lua.LTable) lua.LValue {
	switch {
	case t == m.global:
		return m.globalMeta
	case m.Thaw(t) != t:
		return lua.LNil
	}
	if meta, ok := t.Metatable.(*lua.LTable); ok && m.shown[meta] != nil {
		return m.shown[meta]
	}
	return t.Metatable
}

// SetMetatable sets the metatable of a table. If the metatable is frozen, it sets the contents of that table, because the interpreter
// reads them.
func (m *Machine) SetMetatable(t *lua.LTable, meta lua.LValue) {
	if frozen, ok := meta.(*lua.LTable); ok {
		meta = m.Thaw(frozen)
	}
	t.Metatable = meta
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
