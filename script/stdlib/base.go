package stdlib

import (
	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func (m *library) openBase() {
	next := m.Func(m.next)
	each := m.Func(m.eachItem)
	for name, f := range map[string]lua.LGFunction{
		"assert": m.assert, "error": m.error, "pcall": m.pcall, "xpcall": m.xpcall,
		"getmetatable": m.getMetatable, "setmetatable": m.setMetatable,
		"rawequal": m.rawEqual, "rawget": m.rawGet, "rawset": m.rawSet,
		"select": m.selectValues, "unpack": m.unpack, "type": m.typeOf, "tonumber": m.toNumber, "tostring": m.toString,
		"loadstring": m.loadString, "load": m.load, "collectgarbage": m.collectGarbage, "gcinfo": m.gcInfo,
		"ipairs": func(L *lua.LState) int { return m.iterate(L, each, lua.LNumber(0)) },
		"pairs":  func(L *lua.LState) int { return m.iterate(L, next, lua.LNil) },
	} {
		m.Define(name, m.Func(f))
	}
	m.Define("next", next)
	m.Define("_VERSION", lua.LString("Lua 5.1"))
}

func (m *library) assert(L *lua.LState) int {
	if lua.LVAsBool(m.Any(L, 1)) {
		return L.GetTop()
	}
	m.Raise(L, "%s", m.OptText(L, 2, "assertion failed!"))
	return 0
}

func (m *library) error(L *lua.LState) int {
	value, level := L.Get(1), m.OptInt(L, 2, 1)
	if machine.IsText(value) && level > 0 {
		where, text := m.Where(L, level), machine.Text(value)
		m.MakeText(len(where) + len(text))
		value = lua.LString(where + text)
	}
	m.RaiseValue(L, value)
	return 0
}

// pcall calls a function and catches its error. An error table of Redis becomes its text.
func (m *library) pcall(L *lua.LState) int {
	if L.GetTop() == 0 {
		L.Push(lua.LFalse)
		return 1
	}
	value, ok := m.Protected(L, 1)
	if ok {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	if t, isTable := value.(*lua.LTable); isTable {
		if text := t.RawGetString("err"); machine.IsText(text) {
			value = text
		}
	}
	L.Push(lua.LFalse)
	L.Push(value)
	return 2
}

func (m *library) xpcall(L *lua.LState) int {
	handler := m.Any(L, 2)
	L.SetTop(1)
	value, ok := m.Protected(L, 1)
	if ok {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	L.SetTop(0)
	L.Push(handler)
	L.Push(value)
	if failed, ok := m.Protected(L, 1); !ok {
		L.SetTop(0)
		L.Push(failed)
	}
	L.SetTop(1)
	L.Insert(lua.LFalse, 1)
	return 2
}

func (m *library) getMetatable(L *lua.LState) int {
	var meta lua.LValue = lua.LNil
	switch v := m.Any(L, 1).(type) {
	case lua.LString:
		meta = m.StringMetatable()
	case *lua.LTable:
		meta = m.Metatable(v)
	}
	if t, ok := meta.(*lua.LTable); ok {
		if hidden := t.RawGetString("__metatable"); hidden != lua.LNil {
			meta = hidden
		}
	}
	L.Push(meta)
	return 1
}

func (m *library) setMetatable(L *lua.LState) int {
	t := m.Table(L, 1)
	switch L.Get(2).(type) {
	case *lua.LTable:
	default:
		if L.Get(2) != lua.LNil || L.GetTop() < 2 {
			m.ArgError(L, 2, "nil or table expected")
		}
	}
	m.RefuseFrozen(L, t)
	if machine.MetaField(t, lua.LNil, "__metatable") != lua.LNil {
		m.Raise(L, "cannot change a protected metatable")
	}
	m.SetMetatable(t, L.Get(2))
	L.SetTop(1)
	return 1
}

func (m *library) rawEqual(L *lua.LState) int {
	L.Push(lua.LBool(L.RawEqual(m.Any(L, 1), m.Any(L, 2))))
	return 1
}

func (m *library) rawGet(L *lua.LState) int {
	L.Push(m.Readable(L, 1).RawGet(m.Any(L, 2)))
	return 1
}

func (m *library) rawSet(L *lua.LState) int {
	m.Table(L, 1)
	m.Any(L, 2)
	m.Any(L, 3)
	m.RawSet(L, m.Writable(L, 1), L.Get(2), L.Get(3), machine.NoPosition)
	L.SetTop(1)
	return 1
}

// manySteps is what a step of a table's iteration counts: the hash of a table may be full of deleted fields.
const manySteps = 256

func (m *library) next(L *lua.LState) int {
	t, key := m.Readable(L, 1), L.Get(2)
	if n, ok := key.(lua.LNumber); ok && n > 0 && n < machine.MaxArray && n == lua.LNumber(int(n)) {
		m.Step(1)
		if last := t.Len(); int(n) >= last { // the array may have become shorter since
			m.Step(manySteps)
			if key = lua.LNumber(last); last == 0 {
				key = lua.LNil
			}
		}
	} else {
		m.Step(manySteps)
	}
	k, v := t.Next(key)
	L.Push(k)
	if k == lua.LNil {
		return 1
	}
	L.Push(v)
	return 2
}

func (m *library) iterate(L *lua.LState, f *lua.LFunction, first lua.LValue) int {
	t := m.Table(L, 1)
	L.Push(f)
	L.Push(t)
	L.Push(first)
	return 3
}

func (m *library) eachItem(L *lua.LState) int {
	m.Step(1)
	i := m.Int(L, 2) + 1
	v := m.Readable(L, 1).RawGet(lua.LNumber(i))
	if v == lua.LNil {
		L.Push(v)
		return 1
	}
	L.Push(lua.LNumber(i))
	L.Push(v)
	return 2
}

func (m *library) selectValues(L *lua.LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(lua.LString); ok && s != "" && s[0] == '#' {
		return machine.PushNumber(L, float64(n-1))
	}
	i := m.Int32(L, 1)
	switch {
	case i < 0:
		i += n
	case i > n:
		i = n
	}
	if i < 1 {
		m.ArgError(L, 1, "index out of range")
	}
	return n - i
}

func (m *library) unpack(L *lua.LState) int {
	t := m.Readable(L, 1)
	first := m.OptInt32(L, 2, 1)
	last := t.Len()
	if L.Get(3) != lua.LNil {
		last = m.Int32(L, 3)
	}
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > machine.MaxValues-L.GetTop() {
		m.Raise(L, "too many results to unpack")
	}
	m.Step(n/8 + 1)
	for i := first; i <= last; i++ {
		L.Push(t.RawGet(lua.LNumber(i)))
	}
	return n
}

func (m *library) typeOf(L *lua.LState) int {
	L.Push(lua.LString(machine.TypeName(m.Any(L, 1))))
	return 1
}

func (m *library) toNumber(L *lua.LState) int {
	base := m.OptInt32(L, 2, 10)
	var f float64
	var ok bool
	if base == 10 {
		f, ok = m.ToNumber(m.Any(L, 1))
	} else {
		text := m.Text(L, 1)
		if base < 2 || base > 36 {
			m.ArgError(L, 2, "base out of range")
		}
		m.Read(len(text))
		f, ok = lua51.ParseBase(text, base)
	}
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	return machine.PushNumber(L, f)
}

func (m *library) toString(L *lua.LState) int {
	v := m.Any(L, 1)
	if f := machine.MetaField(v, lua.LNil, "__tostring"); f != lua.LNil {
		L.Push(m.Call(L, f, v))
		return 1
	}
	return m.PushText(L, machine.Text(v))
}

// collectGarbage answers for the garbage collector of Lua, which does not exist here.
func (m *library) collectGarbage(L *lua.LState) int {
	switch what := m.OptText(L, 1, "collect"); what {
	case "collect", "stop", "restart", "setpause", "setstepmul":
		return machine.PushNumber(L, 0)
	case "count":
		return m.gcInfo(L)
	case "step":
		L.Push(lua.LFalse)
		return 1
	default:
		m.ArgError(L, 1, "invalid option "+m.Quoted(what))
	}
	return 0
}

func (m *library) gcInfo(L *lua.LState) int { return machine.PushNumber(L, float64(m.Made()/1024)) }
