package stdlib

import (
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A sorter sorts the items of a table in the way of Lua 5.1: quicksort with the median of three. So equal
// items and functions that contradict themselves give the same order as in Redis.
type sorter struct {
	m *library
	L *lua.LState
	t *lua.LTable
	f lua.LValue // nil for <
}

func (m *library) tableSort(L *lua.LState) int {
	t := m.Table(L, 1)
	s := sorter{m, L, t, nil}
	if L.Get(2) != lua.LNil {
		s.f = m.Function(L, 2)
	}
	m.RefuseFrozen(L, t)
	L.SetTop(2)
	s.sort(1, t.Len())
	return 0
}

func (s *sorter) less(a, b lua.LValue) bool {
	s.m.Step(1)
	if s.f != nil {
		return lua.LVAsBool(s.m.Call(s.L, s.f, a, b))
	}
	x, isNumber := a.(lua.LNumber)
	y, ok := b.(lua.LNumber)
	if isNumber && ok {
		return x < y
	}
	v, isText := a.(lua.LString)
	if w, ok := b.(lua.LString); ok && isText {
		return v < w
	}
	return s.compare(a, b)
}

func (s *sorter) compare(a, b lua.LValue) bool {
	if machine.TypeName(a) != machine.TypeName(b) {
		s.m.RaisePlain(s.L, "attempt to compare "+machine.TypeName(a)+" with "+machine.TypeName(b))
	}
	f := machine.MetaField(a, lua.LNil, "__lt")
	if f == lua.LNil || f != machine.MetaField(b, lua.LNil, "__lt") {
		s.m.RaisePlain(s.L, "attempt to compare two "+machine.TypeName(a)+" values")
	}
	return lua.LVAsBool(s.m.Call(s.L, f, a, b))
}

func (s *sorter) get(i int) lua.LValue { return s.t.RawGetInt(i) }

func (s *sorter) swap(i, j int) {
	a, b := s.get(i), s.get(j)
	s.t.RawSetInt(i, b)
	s.t.RawSetInt(j, a)
}

func (s *sorter) sort(low, high int) {
	for low < high {
		if s.less(s.get(high), s.get(low)) {
			s.swap(low, high)
		}
		if high-low == 1 {
			return
		}
		middle := (low + high) / 2
		if s.less(s.get(middle), s.get(low)) {
			s.swap(middle, low)
		} else if s.less(s.get(high), s.get(middle)) {
			s.swap(middle, high)
		}
		if high-low == 2 {
			return
		}
		i := s.partition(low, high, middle)
		if i-low < high-i {
			s.sort(low, i-1)
			low = i + 1
		} else {
			s.sort(i+1, high)
			high = i - 1
		}
	}
}

func (s *sorter) partition(low, high, middle int) int {
	pivot := s.get(middle)
	s.swap(middle, high-1)
	i, j := low, high-1
	for {
		for i++; s.less(s.get(i), pivot); i++ {
			if i > high {
				s.invalid()
			}
		}
		for j--; s.less(pivot, s.get(j)); j-- {
			if j < low {
				s.invalid()
			}
		}
		if j < i {
			break
		}
		s.swap(i, j)
	}
	s.swap(high-1, i)
	return i
}

func (s *sorter) invalid() { s.m.Raise(s.L, "invalid order function for sorting") }
