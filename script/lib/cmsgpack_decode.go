package lib

import (
	"errors"
	"math"
	"unsafe"

	"cellserver/script/machine"

	"github.com/tinylib/msgp/msgp"
	lua "github.com/yuin/gopher-lua"
)

func (p *packer) unpack(L *lua.LState) int { return p.decode(L, 0, 0) }

func (p *packer) unpackOne(L *lua.LState) int {
	offset := p.m.OptInt(L, 2, 0)
	L.SetTop(1)
	return p.decode(L, 1, offset)
}

func (p *packer) unpackLimit(L *lua.LState) int {
	limit := p.m.Int32(L, 2)
	offset := p.m.OptInt(L, 3, 0)
	L.SetTop(1)
	return p.decode(L, limit, offset)
}

// decode returns the values from an offset on. With a limit, the first result is where the next value is, or
// -1.
func (p *packer) decode(L *lua.LState, limit, offset int) int {
	text := p.m.Text(L, 1)
	switch {
	case offset < 0 || limit < 0:
		p.m.Raise(L, "Invalid request to unpack with offset of %d and limit of %d.", offset, len(text))
	case offset > len(text):
		p.m.Raise(L, "Start offset %d greater than input length %d.", offset, len(text))
	}
	all, most := limit == 0, limit
	if all {
		most = math.MaxInt32
	}
	input := unsafe.Slice(unsafe.StringData(text), len(text))[offset:] // no code changes these bytes
	var values []lua.LValue
	for len(values) < most && len(input) > 0 {
		if len(values) == maxResults {
			p.m.Raise(L, "stack overflow (too many results to unpack)")
		}
		var v lua.LValue
		v, input = p.read(L, input, 0)
		values = append(values, v)
	}
	n := 0
	if !all {
		next := len(text) - len(input)
		if len(input) == 0 {
			next = -1
		}
		L.Push(lua.LNumber(next))
		n++
	}
	return n + machine.PushAll(L, values)
}

const (
	maxResults = 7900 // values fit on the stack of a function of C
	maxRead    = 1000 // levels of nesting
)

// check raises the error of a value that cannot be read.
func (p *packer) check(L *lua.LState, err error) {
	switch {
	case err == nil:
	case errors.Is(err, msgp.ErrShortBytes):
		p.m.Raise(L, "Missing bytes in input.")
	default:
		p.m.Raise(L, "Bad data format in input.")
	}
}

// firstBin and lastBin are the codes of binary strings, which cmsgpack does not know.
const (
	firstBin = 0xc4
	lastBin  = 0xc6
)

func (p *packer) read(L *lua.LState, input []byte, depth int) (v lua.LValue, rest []byte) {
	p.m.Step(1)
	if len(input) == 0 {
		p.check(L, msgp.ErrShortBytes)
	}
	if c := input[0]; c >= firstBin && c <= lastBin || depth > maxRead {
		p.check(L, errors.New("no string"))
	}
	var err error
	switch msgp.NextType(input) {
	case msgp.ArrayType:
		return p.readArray(L, input, depth+1)
	case msgp.MapType:
		return p.readMap(L, input, depth+1)
	case msgp.StrType:
		var text []byte
		text, rest, err = msgp.ReadStringZC(input)
		p.m.Make(textCost + len(text))
		v = lua.LString(text)
	case msgp.BoolType:
		var b bool
		b, rest, err = msgp.ReadBoolBytes(input)
		v = lua.LBool(b)
	case msgp.NilType:
		rest, err = msgp.ReadNilBytes(input)
		v = lua.LNil
	default:
		v, rest, err = readNumber(input)
	}
	p.check(L, err)
	return v, rest
}

func readNumber(input []byte) (lua.LValue, []byte, error) {
	switch msgp.NextType(input) {
	case msgp.IntType:
		n, rest, err := msgp.ReadInt64Bytes(input)
		return lua.LNumber(n), rest, err
	case msgp.UintType:
		n, rest, err := msgp.ReadUint64Bytes(input)
		return lua.LNumber(int64(n)), rest, err // cmsgpack knows no unsigned numbers
	case msgp.Float32Type:
		f, rest, err := msgp.ReadFloat32Bytes(input)
		return lua.LNumber(f), rest, err
	case msgp.Float64Type:
		f, rest, err := msgp.ReadFloat64Bytes(input)
		return lua.LNumber(f), rest, err
	}
	return nil, nil, errors.New("no number")
}

func (p *packer) readArray(L *lua.LState, input []byte, depth int) (lua.LValue, []byte) {
	n, rest, err := msgp.ReadArrayHeaderBytes(input)
	p.check(L, err)
	t := p.m.NewTable(0, 0)
	for i := range int(n) {
		var v lua.LValue
		v, rest = p.read(L, rest, depth)
		p.m.RawSet(L, t, lua.LNumber(i+1), v, p.m.Where)
	}
	return t, rest
}

func (p *packer) readMap(L *lua.LState, input []byte, depth int) (lua.LValue, []byte) {
	n, rest, err := msgp.ReadMapHeaderBytes(input)
	p.check(L, err)
	t := p.m.NewTable(0, 0)
	for range n {
		var k, v lua.LValue
		k, rest = p.read(L, rest, depth)
		v, rest = p.read(L, rest, depth)
		p.m.RawSet(L, t, k, v, func(*lua.LState, int) string { return "" })
	}
	return t, rest
}
