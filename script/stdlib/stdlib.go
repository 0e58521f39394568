package stdlib

import (
	"math/rand/v2"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A library is the standard library in one machine.
type library struct {
	*machine.Machine
	random  lrand48
	threads map[*lua.LState]*thread // coroutines
}

// Open defines the standard library in a machine.
func Open(m *machine.Machine) {
	l := &library{Machine: m}
	l.openBase()
	l.openTable()
	l.openStrings()
	l.openMath()
	l.openCoroutine()
	l.reset()
	m.OnEnd(l.reset)
}

// reset removes what remains of a script.
func (l *library) reset() {
	l.random = lrand48(rand.Uint64() & randMask)
	clear(l.threads)
}
