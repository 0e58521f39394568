package lib

import (
	lua "github.com/yuin/gopher-lua"
)

// A decoder reads one value.
type decoder struct {
	*cjson
	scanner
	L *lua.LState
}

func (j *cjson) decode(L *lua.LState) int {
	j.one(L)
	text := j.m.Text(L, 1)
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		j.m.Raise(L, "JSON parser does not support UTF-16 or UTF-32")
	}
	j.m.Read(len(text))
	d := &decoder{cjson: j, scanner: scanner{text: text, invalid: j.decodeInvalid, count: j.m.Make}, L: L}
	value := d.value(d.scanner.next(), 0)
	if t := d.scanner.next(); t.kind != jsonEnd {
		d.fail("the end", t)
	}
	L.Push(value)
	return 1
}

func (d *decoder) fail(expected string, t jsonToken) {
	d.m.Raise(d.L, "Expected %s but found %s at character %d", expected, t.kind, t.at+1)
}

// textCost is what a string costs in bytes, in addition to its characters.
const textCost = 40

func (d *decoder) value(t jsonToken, depth int) lua.LValue {
	d.m.Step(1)
	switch t.kind {
	case jsonString:
		d.m.Make(textCost + len(t.text))
		return lua.LString(t.text)
	case jsonNumber:
		return lua.LNumber(t.number)
	case jsonBool:
		return lua.LBool(t.truth)
	case jsonNull:
		return d.null
	case objectBegin:
		return d.object(d.deeper(depth))
	case arrayBegin:
		return d.array(d.deeper(depth))
	}
	d.fail("value", t)
	return nil
}

func (d *decoder) deeper(depth int) int {
	if depth++; depth > d.decodeDepth {
		d.m.Raise(d.L, "Found too many nested data structures (%d) at character %d", depth, d.at)
	}
	return depth
}

func (d *decoder) object(depth int) lua.LValue {
	table := d.m.NewTable(0, 0)
	t := d.scanner.next()
	if t.kind == objectEnd {
		return table
	}
	for ; ; t = d.scanner.next() {
		if t.kind != jsonString {
			d.fail("object key string", t)
		}
		d.m.Make(textCost + len(t.text))
		key := lua.LString(t.text)
		if t = d.scanner.next(); t.kind != colon {
			d.fail("colon", t)
		}
		d.m.RawSet(d.L, table, key, d.value(d.scanner.next(), depth), d.m.Where)
		switch t = d.scanner.next(); t.kind {
		case objectEnd:
			return table
		case comma:
		default:
			d.fail("comma or object end", t)
		}
	}
}

func (d *decoder) array(depth int) lua.LValue {
	table := d.m.NewTable(0, 0)
	t := d.scanner.next()
	if t.kind == arrayEnd {
		return table
	}
	for ; ; t = d.scanner.next() {
		d.m.Append(table, d.value(t, depth))
		switch t = d.scanner.next(); t.kind {
		case arrayEnd:
			return table
		case comma:
		default:
			d.fail("comma or array end", t)
		}
	}
}
