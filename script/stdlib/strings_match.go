package stdlib

import (
	"strings"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A search is a pattern that is matched against a subject.
type search struct {
	lua51.Matcher
	m *library
	L *lua.LState
}

func (m *library) search(L *lua.LState, subject, pattern string) *search {
	m.Step(len(pattern) / 256)
	s := &search{m: m, L: L}
	s.Subject, s.Pattern = subject, lua51.UntilZero(pattern)
	s.Step = func() { m.Step(1) }
	return s
}

// safely turns an error of the pattern into an error of Lua.
func (s *search) safely(f func()) {
	problem := func() (problem any) {
		defer func() {
			if problem = recover(); problem != nil {
				if _, ok := problem.(lua51.PatternError); !ok {
					panic(problem)
				}
			}
		}()
		f()
		return nil
	}()
	if problem != nil {
		s.m.Raise(s.L, "%s", string(problem.(lua51.PatternError)))
	}
}

// find finds the first match from a position on.
func (s *search) find(from int) (start, end int) {
	pattern := 0
	anchored := strings.HasPrefix(s.Pattern, "^")
	if anchored {
		pattern = 1
	}
	end = -1
	s.safely(func() {
		for start = from; start <= len(s.Subject); start++ {
			if end = s.Match(start, pattern); end >= 0 || anchored {
				return
			}
		}
	})
	return start, end
}

// capture returns a capture as a value.
func (s *search) capture(i, start, end int) (value lua.LValue) {
	s.safely(func() {
		c := s.Capture(i, start, end)
		if c.IsPosition {
			value = lua.LNumber(c.Start)
			return
		}
		s.m.Make(machine.TextCost)
		value = lua.LString(s.Subject[c.Start:c.End])
	})
	return value
}

func (s *search) pushCaptures(whole bool, start, end int) int {
	n := s.Captures(whole)
	for i := range n {
		s.L.Push(s.capture(i, start, end))
	}
	return n
}

const specials = "^$*+?.([%-"

func (m *library) stringFind(L *lua.LState) int  { return m.findOrMatch(L, true) }
func (m *library) stringMatch(L *lua.LState) int { return m.findOrMatch(L, false) }

func (m *library) findOrMatch(L *lua.LState, find bool) int {
	subject, pattern := m.Text(L, 1), m.Text(L, 2)
	from := min(max(position(m.OptInt(L, 3, 1), len(subject))-1, 0), len(subject))
	if find && (lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(lua51.UntilZero(pattern), specials)) {
		m.Step((len(subject) - from + len(pattern)) / 256)
		at := strings.Index(subject[from:], pattern)
		if at < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(from + at + 1))
		L.Push(lua.LNumber(from + at + len(pattern)))
		return 2
	}
	s := m.search(L, subject, pattern)
	start, end := s.find(from)
	if end < 0 {
		L.Push(lua.LNil)
		return 1
	}
	if !find {
		return s.pushCaptures(true, start, end)
	}
	L.Push(lua.LNumber(start + 1))
	L.Push(lua.LNumber(end))
	return 2 + s.pushCaptures(false, start, end)
}

func (m *library) stringGMatch(L *lua.LState) int {
	subject, pattern := m.Text(L, 1), m.Text(L, 2)
	at := 0
	m.Make(machine.FuncCost)
	L.Push(m.Func(func(L *lua.LState) int {
		m.Step(1)
		s := m.search(L, subject, pattern)
		start, end := at, -1
		s.safely(func() {
			for ; start <= len(subject); start++ {
				if end = s.Match(start, 0); end >= 0 {
					return
				}
			}
		})
		if end < 0 {
			at = len(subject) + 1
			L.Push(lua.LNil)
			return 1
		}
		if at = end; end == start {
			at++
		}
		return s.pushCaptures(true, start, end)
	}))
	return 1
}

func (m *library) stringGSub(L *lua.LState) int {
	subject, pattern, with := m.Text(L, 1), m.Text(L, 2), L.Get(3)
	most := m.OptInt(L, 4, len(subject)+1)
	switch with.(type) {
	case lua.LString, lua.LNumber, *lua.LTable, *lua.LFunction:
	default:
		m.ArgError(L, 3, "string/function/table expected")
	}
	s, from := m.search(L, subject, pattern), 0
	anchored := strings.HasPrefix(pattern, "^")
	if anchored {
		from = 1
	}
	var text []byte
	at, n := 0, 0
	for n < most {
		end := -1
		s.safely(func() { end = s.Match(at, from) })
		if end >= 0 {
			n++
			text = s.replace(text, with, at, end)
		}
		switch {
		case end > at:
			at = end
		case at < len(subject):
			text = append(m.Extend(text, 1), subject[at])
			at++
		default:
			at++
		}
		if at > len(subject) || anchored {
			break
		}
	}
	if at < len(subject) {
		text = append(m.Extend(text, len(subject)-at), subject[at:]...)
	}
	m.PushBytes(L, text)
	return 1 + machine.PushNumber(L, float64(n))
}

// replace appends the replacement of a match.
func (s *search) replace(text []byte, with lua.LValue, start, end int) []byte {
	var value lua.LValue
	switch with := with.(type) {
	case *lua.LTable:
		value = s.L.GetTable(with, s.capture(0, start, end))
	case *lua.LFunction:
		args := make([]lua.LValue, s.Captures(true))
		for i := range args {
			args[i] = s.capture(i, start, end)
		}
		value = s.m.Call(s.L, with, args...)
	default:
		return s.expand(text, machine.Text(with), start, end)
	}
	switch {
	case lua.LVIsFalse(value):
		return append(s.m.Extend(text, end-start), s.Subject[start:end]...)
	case !machine.IsText(value):
		s.m.Raise(s.L, "invalid replacement value (a %s)", machine.TypeName(value))
	}
	return s.m.appendText(text, value)
}

// expand appends a replacement in which %1 to %9 stand for captures and %0 for the match.
func (s *search) expand(text []byte, with string, start, end int) []byte {
	text = s.m.Extend(text, len(with))
	for i := 0; i < len(with); i++ {
		s.m.Step(1)
		if with[i] != '%' {
			text = append(text, with[i])
			continue
		}
		i++
		switch {
		case i == len(with):
			text = append(text, 0)
		case with[i] == '0':
			text = append(s.m.Extend(text, end-start), s.Subject[start:end]...)
		case with[i] >= '1' && with[i] <= '9':
			text = s.m.appendText(text, s.capture(int(with[i]-'1'), start, end))
		default:
			text = append(text, with[i])
		}
	}
	return text
}
