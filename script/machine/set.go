package machine

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// set is the helper for t[k] = v.
func (m *Machine) set(L *lua.LState) int {
	key, value := L.Get(2), L.Get(3)
	t, ok := L.Get(1).(*lua.LTable)
	if ok && (t.Metatable == lua.LNil || t.RawGet(key) != lua.LNil || !hasNewIndex(t)) {
		m.RawSet(L, t, key, value, m.Where)
		return 0
	}
	L.SetTable(L.Get(1), key, value)
	return 0
}

func hasNewIndex(t *lua.LTable) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	return ok && meta.RawGetString("__newindex") != lua.LNil
}

// RawSet assigns a field without metatables. It counts what the table grows by. where returns the position
// for an error about the key.
func (m *Machine) RawSet(L *lua.LState, t *lua.LTable, key, value lua.LValue, where func(*lua.LState, int) string) {
	switch k := key.(type) {
	case *lua.LNilType:
		m.RaisePlain(L, where(L, 1)+"table index is nil")
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			m.RaisePlain(L, where(L, 1)+"table index is NaN")
		}
		if i := int(k); lua.LNumber(i) == k && i > 0 && i < MaxArray {
			m.SetItem(t, i, value)
			return
		} else if i == MaxArray && t.Len() == MaxArray-1 {
			m.Stop("OOM table has too many items")
		}
	}
	if value != lua.LNil && t.RawGet(key) == lua.LNil {
		m.Make(FieldCost)
	}
	t.RawSet(key, value)
}

// NoPosition is the position of errors of library functions that Lua raises without one.
func NoPosition(*lua.LState, int) string { return "" }

// SetItem assigns an item of the array of a table. The array never ends with nil, so its length is known at
// once.
func (m *Machine) SetItem(t *lua.LTable, i int, value lua.LValue) {
	last := t.Len()
	switch {
	case value != lua.LNil:
		if i > last {
			m.Make(ItemCost + gapCost*(i-last-1))
		}
		t.RawSetInt(i, value)
	case i < last:
		t.RawSetInt(i, value)
	case i == last:
		for ; i > 0 && (i == last || t.RawGetInt(i) == lua.LNil); i-- {
			t.Remove(i)
		}
	}
}

// Append adds an item to the array of a table that a library function makes.
func (m *Machine) Append(t *lua.LTable, value lua.LValue) {
	m.Make(ItemCost)
	t.Append(value)
}

// NewTable makes a table in a library function.
func (m *Machine) NewTable(items, fields int) *lua.LTable {
	m.Make(tableCost + slotCost*items + FieldCost*fields)
	if items == 0 {
		fields = max(fields, 1) // 0 is room for 32 fields
	}
	return m.L.CreateTable(items, fields)
}
