package stdlib

import (
	"strings"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func (m *library) openStrings() {
	t := m.Library("string", map[string]lua.LGFunction{
		"byte": m.stringByte, "char": m.stringChar, "dump": m.stringDump, "format": m.stringFormat, "len": m.stringLen,
		"lower": m.mapped(lower), "upper": m.mapped(upper), "rep": m.stringRep, "reverse": m.stringReverse, "sub": m.stringSub,
		"find": m.stringFind, "match": m.stringMatch, "gmatch": m.stringGMatch, "gsub": m.stringGSub,
	})
	t.RawSetString("gfind", t.RawGetString("gmatch"))
}

// position turns a position from the end, which is negative, into one from the start.
func position(i, length int) int {
	if i < 0 {
		i += length + 1
	}
	return max(i, 0)
}

func (m *library) stringByte(L *lua.LState) int {
	s := m.Text(L, 1)
	first := position(m.OptInt(L, 2, 1), len(s))
	last := min(position(m.OptInt(L, 3, first), len(s)), len(s))
	first = max(first, 1)
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > machine.MaxValues-L.GetTop() {
		m.Raise(L, "string slice too long")
	}
	m.Step(n/8 + 1)
	for i := first; i <= last; i++ {
		L.Push(lua.LNumber(s[i-1]))
	}
	return n
}

func (m *library) stringChar(L *lua.LState) int {
	text := make([]byte, L.GetTop())
	for i := range text {
		c := m.Int32(L, i+1)
		if c < 0 || c > 255 {
			m.ArgError(L, i+1, "invalid value")
		}
		text[i] = byte(c)
	}
	return m.PushBytes(L, text)
}

func (m *library) stringDump(L *lua.LState) int {
	m.Function(L, 1)
	m.Raise(L, "unable to dump given function")
	return 0
}

func (m *library) stringLen(L *lua.LState) int {
	return machine.PushNumber(L, float64(len(m.Text(L, 1))))
}

func (m *library) mapped(change func(byte) byte) lua.LGFunction {
	return func(L *lua.LState) int {
		s := m.Text(L, 1)
		m.MakeText(len(s))
		m.Step(len(s) / 256)
		text := []byte(s)
		for i, c := range text {
			text[i] = change(c)
		}
		return machine.PushFilled(L, text)
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func (m *library) stringRep(L *lua.LState) int {
	s, n := m.Text(L, 1), max(m.Int32(L, 2), 0)
	if n > 0 && len(s) > m.MaxBytes()/n {
		m.Make(m.MaxBytes() + 1)
	}
	m.MakeText(len(s) * n)
	m.Fill(len(s) * n)
	L.Push(lua.LString(strings.Repeat(s, n)))
	return 1
}

func (m *library) stringReverse(L *lua.LState) int {
	s := m.Text(L, 1)
	m.MakeText(len(s))
	m.Step(len(s) / 256)
	text := make([]byte, len(s))
	for i := range len(s) {
		text[len(s)-1-i] = s[i]
	}
	return machine.PushFilled(L, text)
}

func (m *library) stringSub(L *lua.LState) int {
	s := m.Text(L, 1)
	first := max(position(m.Int(L, 2), len(s)), 1)
	last := min(position(m.OptInt(L, 3, -1), len(s)), len(s))
	if first > last {
		L.Push(lua.LString(""))
		return 1
	}
	m.Make(machine.TextCost)
	L.Push(lua.LString(s[first-1 : last]))
	return 1
}

func (m *library) stringFormat(L *lua.LState) int {
	format := m.Text(L, 1)
	var text []byte
	arg := 1
	for i := 0; i < len(format); i++ {
		m.Step(1)
		switch {
		case format[i] != '%':
			text = append(m.Extend(text, 1), format[i])
			continue
		case i+1 < len(format) && format[i+1] == '%':
			text = append(m.Extend(text, 1), '%')
			i++
			continue
		}
		arg++
		if arg > L.GetTop() {
			m.ArgError(L, arg, "no value")
		}
		d, length, problem := lua51.ParseDirective(format[i+1:])
		if problem != "" {
			m.Raise(L, "%s", problem)
		}
		text = m.formatOne(L, m.Extend(text, directiveBytes), d, arg)
		i += length
	}
	return m.PushBytes(L, text)
}

// directiveBytes is the most bytes that a number or a padded text takes.
const directiveBytes = 512

// longText is the length from which a text is not padded and not cut.
const longText = 100

// quotedBytes is the most bytes that a byte takes in %q.
const quotedBytes = 4

func (m *library) formatOne(L *lua.LState, text []byte, d lua51.Directive, arg int) []byte {
	switch d.Verb {
	case 'c':
		return d.AppendInt(text, lua51.CInt(m.Number(L, arg)))
	case 'd', 'i':
		return d.AppendInt(text, lua51.Int(m.Number(L, arg)))
	case 'o', 'u', 'x', 'X':
		return d.AppendInt(text, lua51.Uint(m.Number(L, arg)))
	case 'e', 'E', 'f', 'g', 'G':
		return d.AppendFloat(text, m.Number(L, arg))
	case 'q':
		s := m.Text(L, arg)
		if len(s) >= longText {
			text = m.Extend(text, quotedBytes*len(s))
		}
		return lua51.AppendQuoted(text, s)
	case 's':
		s := m.Text(L, arg)
		if d.Precision < 0 && len(s) >= longText {
			return append(m.Extend(text, len(s)), s...)
		}
		if nul := strings.IndexByte(s, 0); nul >= 0 {
			s = s[:nul] // as a string of C
		}
		return d.AppendString(text, s)
	}
	verb := ""
	if d.Verb != 0 {
		verb = string([]byte{d.Verb})
	}
	m.Raise(L, "invalid option '%%%s' to 'format'", verb)
	return nil
}
