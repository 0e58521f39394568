package lib

import (
	"math"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// An encoder writes one value.
type encoder struct {
	*cjson
	L    *lua.LState
	text []byte
}

func (j *cjson) encode(L *lua.LState) int {
	j.one(L)
	e := &encoder{cjson: j, L: L}
	e.value(L.Get(1), 0)
	return j.m.PushBytes(L, e.text)
}

// shortBytes is the room for a number or a word, with the punctuation around it.
const shortBytes = 32

func (e *encoder) fail(v lua.LValue, why string) {
	e.m.Raise(e.L, "Cannot serialise %s: %s", machine.TypeName(v), why)
}

func (e *encoder) value(v lua.LValue, depth int) {
	e.m.Step(1)
	e.text = e.m.Extend(e.text, shortBytes)
	switch v := v.(type) {
	case lua.LString:
		e.string(string(v))
	case lua.LNumber:
		e.number(v)
	case lua.LBool:
		e.text = append(e.text, v.String()...)
	case *lua.LNilType:
		e.text = append(e.text, "null"...)
	case *lua.LTable:
		e.table(v, depth+1)
	case *lua.LUserData:
		if v != e.null {
			e.fail(v, "type not supported")
		}
		e.text = append(e.text, "null"...)
	default:
		e.fail(v, "type not supported")
	}
}

func (e *encoder) number(n lua.LNumber) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		switch e.encodeInvalid {
		case refuseInvalid:
			e.fail(n, "must not be NaN or Inf")
		case nullInvalid:
			e.text = append(e.text, "null"...)
			return
		}
		if math.IsNaN(f) {
			f = math.Copysign(f, 1)
		}
	}
	e.text = lua51.AppendG(e.text, f, e.precision)
}

const hexDigits = "0123456789abcdef"

// The room of a string: it is appended in pieces, and each byte may take six.
const (
	pieceBytes   = 4096
	escapedBytes = 6
)

func (e *encoder) string(s string) {
	e.text = append(e.text, '"')
	for len(s) > pieceBytes {
		e.piece(s[:pieceBytes])
		s = s[pieceBytes:]
	}
	e.piece(s)
	e.text = append(e.text, '"')
}

// piece appends a part of a string.
func (e *encoder) piece(s string) {
	e.text = e.m.Extend(e.text, escapedBytes*len(s)+1)
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '/':
			e.text = append(e.text, '\\', c)
		case '\b':
			e.text = append(e.text, `\b`...)
		case '\t':
			e.text = append(e.text, `\t`...)
		case '\n':
			e.text = append(e.text, `\n`...)
		case '\f':
			e.text = append(e.text, `\f`...)
		case '\r':
			e.text = append(e.text, `\r`...)
		default:
			if c < ' ' || c == 0x7f {
				e.text = append(append(e.text, `\u00`...), hexDigits[c>>4], hexDigits[c&15])
			} else {
				e.text = append(e.text, c)
			}
		}
	}
}

func (e *encoder) table(t *lua.LTable, depth int) {
	if depth > e.encodeDepth {
		e.m.Raise(e.L, "Cannot serialise, excessive nesting (%d)", depth)
	}
	t = e.m.Thaw(t)
	e.m.Walk(t)
	if n := e.length(t); n > 0 {
		e.array(t, n, depth)
		return
	}
	e.object(t, depth)
}

// length returns the length of an array, or -1 for a table with other keys.
func (e *encoder) length(t *lua.LTable) int {
	most, items := 0, 0
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		e.m.Step(1)
		n, ok := k.(lua.LNumber)
		if !ok || n < 1 || math.Floor(float64(n)) != float64(n) || n > maxInt {
			return -1
		}
		most = max(most, int(n))
		items++
	}
	if e.sparseRatio > 0 && most > items*e.sparseRatio && most > e.sparseSafe {
		if !e.sparseConvert {
			e.fail(t, "excessively sparse array")
		}
		return -1
	}
	return most
}

func (e *encoder) array(t *lua.LTable, n, depth int) {
	e.text = append(e.text, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.text = append(e.text, ',')
		}
		e.value(t.RawGet(lua.LNumber(i)), depth)
	}
	e.text = append(e.text, ']')
}

func (e *encoder) object(t *lua.LTable, depth int) {
	e.text = append(e.text, '{')
	first := true
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if !first {
			e.text = append(e.text, ',')
		}
		first = false
		switch k := k.(type) {
		case lua.LString:
			e.string(string(k))
		case lua.LNumber:
			e.text = append(e.text, '"')
			e.number(k)
			e.text = append(e.text, '"')
		default:
			e.fail(k, "table key must be a number or string")
		}
		e.text = append(e.text, ':')
		e.value(v, depth)
	}
	e.text = append(e.text, '}')
}
