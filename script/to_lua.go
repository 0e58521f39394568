package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// countedField is a field of the table of an error. It is true if the statistics have counted the error.
const countedField = "ignore_error_stats_update"

// toLua makes a value of Lua of a reply.
func (e *Engine) toLua(r Reply) lua.LValue {
	switch r.Kind {
	case Int:
		return lua.LNumber(r.Int)
	case Bulk:
		return e.text(r.Text)
	case Array:
		t := e.m.NewTable(len(r.Items), 0)
		for i := range r.Items {
			t.RawSetInt(i+1, e.toLua(r.Items[i]))
		}
		return t
	case Status:
		return e.field("ok", e.text(r.Text))
	case Error:
		e.m.MakeText(3 * len(r.Text))
		t := errorTable(e.m, string(r.Text), e.run.Style)
		t.RawSetString(countedField, lua.LTrue)
		return t
	}
	return e.toLua3(r)
}

// toLua3 makes values of the kinds of RESP3. A null is false in RESP2 and nil in RESP3.
func (e *Engine) toLua3(r Reply) lua.LValue {
	switch r.Kind {
	case Map:
		t := e.m.NewTable(0, len(r.Items)/2)
		for i := 0; i+1 < len(r.Items); i += 2 {
			t.RawSet(e.toLua(r.Items[i]), e.toLua(r.Items[i+1]))
		}
		return e.field("map", t)
	case Set:
		t := e.m.NewTable(0, len(r.Items))
		for i := range r.Items {
			t.RawSet(e.toLua(r.Items[i]), lua.LTrue)
		}
		return e.field("set", t)
	case Double:
		return e.field("double", lua.LNumber(r.Double))
	case Bool:
		return lua.LBool(r.Int != 0)
	case BigNumber:
		return e.field("big_number", e.text(r.Text))
	case Verbatim:
		e.m.MakeText(len(r.Text))
		format, text, _ := strings.Cut(string(r.Text), ":")
		t := e.m.NewTable(0, 2)
		t.RawSetString("string", lua.LString(text))
		t.RawSetString("format", lua.LString(format))
		return e.field("verbatim_string", t)
	}
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
