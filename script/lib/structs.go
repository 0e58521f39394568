package lib

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"cellserver/script/lua51"
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

func openStruct(m *machine.Machine) {
	s := &structs{m}
	m.Library("struct", map[string]lua.LGFunction{"pack": s.pack, "unpack": s.unpack, "size": s.size})
}

// structs is the library.
type structs struct{ m *machine.Machine }

func (s *structs) layout(L *lua.LState) *layout {
	return &layout{m: s.m, L: L, format: s.m.Text(L, 1), align: 1}
}

// numberBytes is the most bytes of a packed number.
const numberBytes = 32

func (s *structs) pack(L *lua.LState) int {
	f := s.layout(L)
	L.Push(lua.LNil) // a missing argument is nil to struct
	arg, total := 1, 0
	var packed []byte
	for f.more() {
		option := f.next()
		size := f.size(option)
		pad := f.padding(total, size, option)
		total += pad + size
		packed = append(s.m.Extend(packed, pad), make([]byte, pad)...)
		if !isValue(option) {
			f.control(option)
			continue
		}
		if option != 'x' {
			arg++
		}
		before := len(packed)
		packed = s.packOne(L, packed, f, option, size, arg)
		if option == 's' || option == 'c' && size == 0 {
			total += len(packed) - before
		}
	}
	return s.m.PushBytes(L, packed)
}

func (s *structs) packOne(L *lua.LState, packed []byte, f *layout, option byte, size, arg int) []byte {
	packed = s.m.Extend(packed, numberBytes)
	switch option {
	case 'x':
		return append(packed, 0)
	case 's', 'c':
		text := s.m.Text(L, arg)
		if size == 0 {
			size = len(text)
		}
		if len(text) < size {
			s.m.ArgError(L, arg+1, "string too short") // struct counts one too many
		}
		packed = append(s.m.Extend(packed, size+1), text[:size]...)
		if option == 's' {
			packed = append(packed, 0)
		}
		return packed
	case 'f':
		return f.integer(packed, uint64(math.Float32bits(float32(s.m.Number(L, arg)))), size)
	case 'd':
		return f.integer(packed, math.Float64bits(s.m.Number(L, arg)), size)
	}
	return f.integer(packed, uint64(lua51.Uint(s.m.Number(L, arg))), size)
}

// integer appends an integer of any size.
func (s *layout) integer(dst []byte, n uint64, size int) []byte {
	start := len(dst)
	for i := range size {
		b := byte(0)
		if i < longSize {
			b = byte(n >> (8 * i))
		}
		dst = append(dst, b)
	}
	if s.big {
		slices.Reverse(dst[start:])
	}
	return dst
}

func (s *structs) unpack(L *lua.LState) int {
	f, data := s.layout(L), s.m.Text(L, 2)
	at := s.m.OptInt(L, 3, 1) - 1
	if at == -1 {
		s.m.ArgError(L, 3, "offset must be 1 or greater")
	}
	var values []lua.LValue
	for f.more() {
		option := f.next()
		size := f.size(option)
		pad := f.padding(at, size, option)
		if at < 0 || at > len(data)-pad-size || pad+size > len(data) {
			s.m.ArgError(L, 2, "data string too short")
		}
		at += pad
		switch {
		case option == 's':
			end := strings.IndexByte(data[at:], 0)
			if end < 0 {
				s.m.Raise(L, "unfinished string in data")
			}
			values = append(values, s.text(data[at:at+end]))
			size = end + 1
		case option == 'c':
			if size == 0 {
				values, size = s.lastSize(L, values, len(data)-at)
			}
			values = append(values, s.text(data[at:at+size]))
		case option == 'x':
		case isValue(option):
			values = append(values, f.value(data[at:at+size], option))
		default:
			f.control(option)
		}
		at += size
		if len(values) > maxResults {
			s.m.Raise(L, "too many results")
		}
	}
	n := machine.PushAll(L, values)
	return n + machine.PushNumber(L, float64(at+1))
}

func (s *structs) text(text string) lua.LValue {
	s.m.Make(textCost + len(text))
	return lua.LString(text)
}

// lastSize takes the last value as the size of c0.
func (s *structs) lastSize(L *lua.LState, values []lua.LValue, most int) ([]lua.LValue, int) {
	var last lua.LNumber
	ok := false
	if len(values) > 0 {
		last, ok = values[len(values)-1].(lua.LNumber)
	}
	if !ok {
		s.m.Raise(L, "format 'c0' needs a previous size")
	}
	size := uint64(lua51.Uint(float64(last)))
	if size > uint64(most) {
		s.m.ArgError(L, 2, "data string too short")
	}
	return values[:len(values)-1], int(size)
}

// value reads a number.
func (s *layout) value(data string, option byte) lua.LValue {
	b := []byte(data)
	if s.big {
		slices.Reverse(b)
	}
	switch option {
	case 'f':
		return lua.LNumber(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case 'd':
		return lua.LNumber(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	var n uint64
	for i := min(len(b), longSize) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	if option >= 'a' { // a signed one
		if bits := 8 * len(b); bits < 64 && bits > 0 {
			return lua.LNumber(int64(n<<(64-bits)) >> (64 - bits))
		}
		return lua.LNumber(int64(n))
	}
	return lua.LNumber(n)
}

func (s *structs) size(L *lua.LState) int {
	f := s.layout(L)
	total := 0
	for f.more() {
		option := f.next()
		size := f.size(option)
		total += f.padding(total, size, option)
		switch {
		case option == 's':
			s.m.ArgError(L, 1, "option 's' has no fixed size")
		case option == 'c' && size == 0:
			s.m.ArgError(L, 1, "option 'c0' has no fixed size")
		case !isAlphanumeric(option): // other letters are ignored
			f.control(option)
		}
		total += size
		if total > maxFormatNumber {
			s.m.Raise(L, "integral size overflow")
		}
	}
	return machine.PushNumber(L, float64(total))
}
