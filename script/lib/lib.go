package lib

import (
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// Open defines the libraries in a machine.
func Open(m *machine.Machine) {
	openCJSON(m)
	openCMsgPack(m)
	openStruct(m)
	openBit(m)
}

// pushText returns a string from a library function.
func pushText(m *machine.Machine, L *lua.LState, b []byte) int { return m.PushBytes(L, b) }
