package script

import (
	"bytes"
	"strconv"

	"cellserver/internal/decimal"

	lua "github.com/yuin/gopher-lua"
)

// countedField is a field of the table of an error. It is true if the statistics have counted the error.
const countedField = "ignore_error_stats_update"

// toLua makes a value of Lua of the reply of a command, which is at the start of b. It also returns the bytes
// behind the reply.
func (e *Engine) toLua(b []byte) (v lua.LValue, rest []byte) {
	end := bytes.IndexByte(b, '\n')
	kind, line, rest := b[0], b[1:end-1], b[end+1:]
	switch kind {
	case '+':
		return e.field("ok", e.text(line)), rest
	case '-':
		e.m.MakeText(3 * len(line))
		t := errorTable(e.m, string(line), e.run.Style)
		t.RawSetString(countedField, lua.LTrue)
		return t, rest
	}
	n, _ := decimal.Parse(line)
	switch kind {
	case ':':
		return lua.LNumber(n), rest
	case '$':
		if n >= 0 {
			return e.text(rest[:n]), rest[n+2:]
		}
	case '*', '>':
		if n >= 0 {
			return e.toArray(int(n), rest)
		}
	default:
		return e.toLua3(kind, line, int(n), rest)
	}
	return e.null(), rest
}

// toArray makes a table of n replies.
func (e *Engine) toArray(n int, b []byte) (v lua.LValue, rest []byte) {
	t := e.m.NewTable(n, 0)
	for i := range n {
		v, b = e.toLua(b)
		t.RawSetInt(i+1, v)
	}
	return t, b
}

// toLua3 is toLua for the kinds of RESP3. n is the number in the line.
func (e *Engine) toLua3(kind byte, line []byte, n int, b []byte) (v lua.LValue, rest []byte) {
	switch kind {
	case '%':
		t := e.m.NewTable(0, n)
		for range n {
			var k lua.LValue
			k, b = e.toLua(b)
			v, b = e.toLua(b)
			t.RawSet(k, v)
		}
		return e.field("map", t), b
	case '~':
		t := e.m.NewTable(0, n)
		for range n {
			v, b = e.toLua(b)
			t.RawSet(v, lua.LTrue)
		}
		return e.field("set", t), b
	case ',':
		f, _ := strconv.ParseFloat(string(line), 64)
		return e.field("double", lua.LNumber(f)), b
	case '#':
		return lua.LBool(line[0] == 't'), b
	case '(':
		return e.field("big_number", e.text(line)), b
	case '=':
		format, text, _ := bytes.Cut(b[:n], []byte(":"))
		t := e.m.NewTable(0, 2)
		t.RawSetString("string", e.text(text))
		t.RawSetString("format", e.text(format))
		return e.field("verbatim_string", t), b[n+2:]
	}
	return e.null(), b
}

// null is the value of a missing reply.
func (e *Engine) null() lua.LValue {
	if e.run.resp == 3 {
		return lua.LNil
	}
	return lua.LFalse
}

func (e *Engine) text(b []byte) lua.LValue {
	e.m.MakeText(len(b))
	return lua.LString(b)
}

// field makes a table with one field.
func (e *Engine) field(name string, v lua.LValue) *lua.LTable {
	t := e.m.NewTable(0, 1)
	t.RawSetString(name, v)
	return t
}
