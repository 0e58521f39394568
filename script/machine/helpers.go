package machine

import (
	"strings"

	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

// concat joins all its arguments. It works from the right, as .. does, if some have a metatable.
func (m *Machine) concat(L *lua.LState) int {
	n := L.GetTop()
	length, simple := 0, true
	for i := 1; i <= n && simple; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			length += len(v)
		case lua.LNumber:
			length += numberBytes
		default:
			simple = false
		}
	}
	if !simple {
		return m.concatSlowly(L, n)
	}
	m.MakeText(length)
	m.Fill(length)
	var joined strings.Builder
	joined.Grow(length)
	for i := 1; i <= n; i++ {
		joined.WriteString(Text(L.Get(i)))
	}
	L.Push(lua.LString(joined.String()))
	return 1
}

// numberBytes is the most bytes of a number as a text.
const numberBytes = 24

func (m *Machine) concatSlowly(L *lua.LState, n int) int {
	_, at, _ := m.frame(L, 1)
	right := L.Get(n)
	for i := n - 1; i > 0; i-- {
		left := L.Get(i)
		if IsText(left) && IsText(right) {
			first, second := Text(left), Text(right)
			m.MakeText(len(first) + len(second))
			right = lua.LString(first + second)
			continue
		}
		f := MetaField(left, right, "__concat")
		if f == lua.LNil {
			m.concatError(L, at, i, left, right)
		}
		right = m.Call(L, f, left, right)
	}
	L.Push(right)
	return 1
}

// concatError names the operand that is not a text. right is an operand of the code only if it is the last
// one; otherwise it is a result of the helper.
func (m *Machine) concatError(L *lua.LState, at syntax.Place, i int, left, right lua.LValue) {
	name := func(i int) string {
		if i-1 < len(at.All) {
			return at.All[i-1]
		}
		return ""
	}
	if IsText(left) {
		m.operandError(L, "concatenate", name(i+1), right)
	}
	m.operandError(L, "concatenate", name(i), left)
}

// arithmetic makes the helper for an operator.
func (m *Machine) arithmetic(event string, compute func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		m.Step(1) // a power may take half a microsecond
		left, right := L.Get(1), L.Get(2)
		if a, ok := m.ToNumber(left); ok {
			if b, ok := m.ToNumber(right); ok {
				return PushNumber(L, compute(a, b))
			}
		}
		f := MetaField(left, right, event)
		if f == lua.LNil {
			m.arithmeticError(L, left, right)
		}
		L.Push(m.Call(L, f, left, right))
		return 1
	}
}

func (m *Machine) arithmeticError(L *lua.LState, left, right lua.LValue) {
	_, at, _ := m.frame(L, 1)
	if _, ok := ToNumber(left); ok {
		m.operandError(L, arithmetic, at.Second, right)
	}
	m.operandError(L, arithmetic, at.Name, left)
}

// forNumber makes the helper for a number of a for loop.
func (m *Machine) forNumber(what string) lua.LGFunction {
	return func(L *lua.LState) int {
		if n, ok := L.Get(1).(lua.LNumber); ok {
			L.Push(n)
			return 1
		}
		f, ok := m.ToNumber(L.Get(1))
		if !ok {
			m.Raise(L, "'for' %s must be a number", what)
		}
		return PushNumber(L, f)
	}
}

// extend adds values to a table after its first items.
func (m *Machine) extend(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	first := int(L.Get(2).(lua.LNumber)) - 2
	for i := 3; i <= L.GetTop(); i++ {
		m.SetItem(t, first+i, L.Get(i))
	}
	L.Push(t)
	return 1
}

// key counts the bytes by which a table grows for a key in its constructor.
func (m *Machine) key(L *lua.LState) int {
	if k, ok := L.Get(1).(lua.LNumber); ok && k > 0 && k < MaxArray {
		m.Make(gapCost * int(k))
		return 1
	}
	m.Make(FieldCost)
	return 1
}
