package lib

import (
	"math"

	"cellserver/script/machine"

	"github.com/tinylib/msgp/msgp"
	lua "github.com/yuin/gopher-lua"
)

// maxPackDepth is how deep cmsgpack packs. It packs nil in place of deeper tables.
const maxPackDepth = 16

func openCMsgPack(m *machine.Machine) {
	p := &packer{m: m}
	t := m.Library("cmsgpack", map[string]lua.LGFunction{
		"pack": p.pack, "unpack": p.unpack, "unpack_one": p.unpackOne, "unpack_limit": p.unpackLimit,
	})
	t.RawSetString("_NAME", lua.LString("cmsgpack"))
	t.RawSetString("_VERSION", lua.LString("lua-cmsgpack 0.4.0"))
	t.RawSetString("_COPYRIGHT", lua.LString("Copyright (C) 2012, Salvatore Sanfilippo"))
	t.RawSetString("_DESCRIPTION", lua.LString("MessagePack C implementation for Lua"))
}

// A packer is the library.
type packer struct{ m *machine.Machine }

func (p *packer) pack(L *lua.LState) int {
	if L.GetTop() == 0 {
		p.m.ArgError(L, 0, "MessagePack pack needs input.")
	}
	var packed []byte
	for i := 1; i <= L.GetTop(); i++ {
		packed = p.value(packed, L.Get(i), 0)
	}
	return p.m.PushBytes(L, packed)
}

func (p *packer) value(dst []byte, v lua.LValue, depth int) []byte {
	p.m.Step(1)
	dst = p.m.Extend(dst, headerBytes)
	switch v := v.(type) {
	case lua.LString:
		dst = p.m.Extend(dst, headerBytes+len(v))
		dst = msgp.AppendString(dst, string(v))
	case lua.LBool:
		dst = msgp.AppendBool(dst, bool(v))
	case lua.LNumber:
		dst = appendPackedNumber(dst, float64(v))
	case *lua.LTable:
		if depth < maxPackDepth {
			return p.table(dst, p.m.Thaw(v), depth+1)
		}
		dst = msgp.AppendNil(dst)
	default:
		dst = msgp.AppendNil(dst)
	}
	return dst
}

// headerBytes is the largest size in bytes of a packed number, and of the header of any other packed value.
const headerBytes = 9

func appendPackedNumber(dst []byte, f float64) []byte {
	switch n := int64(f); {
	case f >= math.MinInt64 && f < math.MaxInt64 && float64(n) == f && n >= 0:
		return msgp.AppendUint64(dst, uint64(n))
	case f >= math.MinInt64 && f < math.MaxInt64 && float64(n) == f:
		return msgp.AppendInt64(dst, n)
	case float64(float32(f)) == f:
		return msgp.AppendFloat32(dst, float32(f))
	}
	return msgp.AppendFloat64(dst, f)
}

func (p *packer) table(dst []byte, t *lua.LTable, depth int) []byte {
	p.m.Walk(t)
	isArray, most, items := true, 0, 0
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		p.m.Step(1)
		items++
		n, ok := k.(lua.LNumber)
		if !ok || n < 1 || lua.LNumber(int(n)) != n {
			isArray = false
			continue
		}
		most = max(most, int(n))
	}
	if isArray && most == items {
		dst = msgp.AppendArrayHeader(dst, uint32(items))
		for i := 1; i <= items; i++ {
			dst = p.value(dst, t.RawGet(lua.LNumber(i)), depth)
		}
		return dst
	}
	dst = msgp.AppendMapHeader(dst, uint32(items))
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		dst = p.value(p.value(dst, k, depth), v, depth)
	}
	return dst
}
