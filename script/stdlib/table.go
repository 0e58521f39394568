package stdlib

import (
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func (m *library) openTable() {
	m.Library("table", map[string]lua.LGFunction{
		"concat": m.tableConcat, "insert": m.tableInsert, "remove": m.tableRemove, "sort": m.tableSort,
		"getn": m.tableLength, "maxn": m.tableMaxN, "foreach": m.forEach, "foreachi": m.forEachItem,
		"setn": func(L *lua.LState) int {
			m.Table(L, 1)
			m.Raise(L, "'setn' is obsolete")
			return 0
		},
	})
}

func (m *library) tableLength(L *lua.LState) int {
	return machine.PushNumber(L, float64(m.Readable(L, 1).Len()))
}

func (m *library) tableMaxN(L *lua.LState) int {
	t, most := m.Readable(L, 1), lua.LNumber(0)
	m.Walk(t)
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		m.Step(1)
		if n, ok := k.(lua.LNumber); ok && n > most {
			most = n
		}
	}
	L.Push(most)
	return 1
}

func (m *library) tableConcat(L *lua.LState) int {
	t, separator := m.Readable(L, 1), m.OptText(L, 2, "")
	first, last := m.OptInt32(L, 3, 1), t.Len()
	if L.Get(4) != lua.LNil {
		last = m.Int32(L, 4)
	}
	var joined []byte
	for i := first; i <= last; i++ {
		m.Step(1)
		v := t.RawGet(lua.LNumber(i))
		if !machine.IsText(v) {
			m.Raise(L, "invalid value (%s) at index %d in table for 'concat'", machine.TypeName(v), i)
		}
		joined = m.appendText(joined, v)
		if i < last {
			joined = append(m.Extend(joined, len(separator)), separator...)
		}
	}
	return m.PushBytes(L, joined)
}

// appendText appends a string or a number to a text that may become long.
func (m *library) appendText(text []byte, v lua.LValue) []byte {
	if s, ok := v.(lua.LString); ok {
		text = m.Extend(text, len(s))
	}
	return machine.AppendText(text, v)
}

func (m *library) tableInsert(L *lua.LState) int {
	t := m.Table(L, 1)
	last := m.Thaw(t).Len() + 1
	switch L.GetTop() {
	case 2:
		m.RefuseFrozen(L, t)
		m.RawSet(L, t, lua.LNumber(last), L.Get(2), machine.NoPosition)
	case 3:
		at := m.Int32(L, 2)
		m.RefuseFrozen(L, t)
		m.insertAt(L, t, at, max(last, at), L.Get(3))
	default:
		m.Raise(L, "wrong number of arguments to 'insert'")
	}
	return 0
}

// movesPerStep is how many items move in one step.
const movesPerStep = 64

func (m *library) insertAt(L *lua.LState, t *lua.LTable, at, last int, value lua.LValue) {
	m.Step(max(last-at, 0)/movesPerStep + 1)
	if at >= 1 && at < last && last < machine.MaxArray {
		m.Make(machine.ItemCost)
		t.Insert(at, value)
		if value == lua.LNil {
			m.SetItem(t, at, value)
		}
		return
	}
	for i := last; i > at; i-- {
		m.Step(1)
		m.RawSet(L, t, lua.LNumber(i), t.RawGet(lua.LNumber(i-1)), machine.NoPosition)
	}
	m.RawSet(L, t, lua.LNumber(at), value, machine.NoPosition)
}

func (m *library) tableRemove(L *lua.LState) int {
	t := m.Table(L, 1)
	last := m.Thaw(t).Len()
	at := m.OptInt32(L, 2, last)
	if at < 1 || at > last {
		return 0
	}
	m.RefuseFrozen(L, t)
	m.Step((last-at)/movesPerStep + 1)
	value := t.RawGetInt(at)
	if at == last {
		m.SetItem(t, at, lua.LNil)
	} else {
		t.Remove(at)
	}
	L.Push(value)
	return 1
}

func (m *library) forEach(L *lua.LState) int {
	t, f := m.Readable(L, 1), m.Function(L, 2)
	m.Walk(t)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		m.Step(1)
		if result := m.Call(L, f, k, v); result != lua.LNil {
			L.Push(result)
			return 1
		}
	}
	return 0
}

func (m *library) forEachItem(L *lua.LState) int {
	t, f := m.Readable(L, 1), m.Function(L, 2)
	last := t.Len()
	for i := 1; i <= last; i++ {
		m.Step(1)
		if result := m.Call(L, f, lua.LNumber(i), t.RawGetInt(i)); result != lua.LNil {
			L.Push(result)
			return 1
		}
	}
	return 0
}
