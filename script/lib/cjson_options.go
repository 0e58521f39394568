package lib

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

const maxInt = math.MaxInt32

// most checks that there are not too many arguments.
func (j *cjson) most(L *lua.LState, n int) {
	if L.GetTop() > n {
		j.m.ArgError(L, n+1, "found too many arguments")
	}
}

func (j *cjson) integer(L *lua.LState, arg, least, most int) int {
	n := j.m.Int32(L, arg)
	if n < least || n > most {
		j.m.ArgError(L, arg, fmt.Sprintf("expected integer between %d and %d", least, most))
	}
	return n
}

func (j *cjson) intOption(option *int, least, most int) lua.LGFunction {
	return func(L *lua.LState) int {
		j.most(L, 1)
		if L.Get(1) != lua.LNil {
			*option = j.integer(L, 1, least, most)
		}
		L.Push(lua.LNumber(*option))
		return 1
	}
}

func (j *cjson) boolOption(option *bool) lua.LGFunction {
	return func(L *lua.LState) int {
		j.most(L, 1)
		if L.Get(1) != lua.LNil {
			*option = j.choice(L, 1) != refuseInvalid
		}
		L.Push(lua.LBool(*option))
		return 1
	}
}

// choice reads off, on, or a boolean.
func (j *cjson) choice(L *lua.LState, arg int, others ...invalid) invalid {
	if b, ok := L.Get(arg).(lua.LBool); ok {
		if b {
			return encodeInvalid
		}
		return refuseInvalid
	}
	text := invalid(j.m.Text(L, arg))
	for _, known := range append(others, refuseInvalid, encodeInvalid) {
		if text == known {
			return text
		}
	}
	j.m.ArgError(L, arg, "invalid option "+j.m.Quoted(string(text)))
	return ""
}

func (j *cjson) invalidOption(L *lua.LState) int {
	j.most(L, 1)
	if L.Get(1) != lua.LNil {
		j.encodeInvalid = j.choice(L, 1, nullInvalid)
	}
	if j.encodeInvalid == nullInvalid {
		L.Push(lua.LString(nullInvalid))
	} else {
		L.Push(lua.LBool(j.encodeInvalid == encodeInvalid))
	}
	return 1
}

func (j *cjson) sparseOption(L *lua.LState) int {
	j.most(L, 3)
	if L.Get(1) != lua.LNil {
		j.sparseConvert = j.choice(L, 1) != refuseInvalid
	}
	if L.Get(2) != lua.LNil {
		j.sparseRatio = j.integer(L, 2, 0, maxInt)
	}
	if L.Get(3) != lua.LNil {
		j.sparseSafe = j.integer(L, 3, 0, maxInt)
	}
	L.Push(lua.LBool(j.sparseConvert))
	L.Push(lua.LNumber(j.sparseRatio))
	L.Push(lua.LNumber(j.sparseSafe))
	return 3
}
